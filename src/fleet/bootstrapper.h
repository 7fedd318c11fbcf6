// Makes the data a VM is bootstrapped from. Which bootstrapper serves a node depends on the generation of its image;
// all of them start from the same resolution.
//
// Data of nodes of one kind are nearly the same text, so it is made in two strides as the resolution is: a frame for
// the kind, once, and what its claim says of the node filled in.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "fleet/resolution.h"

namespace sunup::fleet {

struct BootstrapData {
  std::string custom_data;         // base64, as osProfile.customData wants it
  std::optional<std::string> cse;  // the custom script extension's command, where there is one
};

class BootstrapFrame {
 public:
  virtual ~BootstrapFrame() = default;
  // `node` must be of the kind that the frame was made for.
  virtual Result<BootstrapData> fill(const Resolution& node) const = 0;
};

class Bootstrapper {
 public:
  virtual ~Bootstrapper() = default;
  virtual std::string_view name() const = 0;
  virtual std::unique_ptr<const BootstrapFrame> frame(const Resolution& kind) const = 0;
};

const Bootstrapper& bootstrapper(Bootstrap kind);

}  // namespace sunup::fleet

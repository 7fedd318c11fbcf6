// Creates the bootstrap data of a VM. The bootstrapper depends on the generation of the image; all of them use the same
// resolution.
//
// The data of nodes of one kind is nearly the same, so it is created in two steps, like the resolution: a frame for the
// kind, once, and the values of each claim, which are filled in.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "fleet/resolve/resolution.h"

namespace sunup::fleet {

struct BootstrapData {
  std::string custom_data;         // base64, for osProfile.customData
  std::optional<std::string> cse;  // the command of the custom script extension, if there is one
};

class BootstrapFrame {
 public:
  virtual ~BootstrapFrame() = default;
  // `node` must be of the frame's kind.
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

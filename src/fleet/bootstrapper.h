// Makes the data a VM is bootstrapped from. Which bootstrapper serves a node depends on the generation of its image;
// all of them start from the same resolution.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "fleet/resolver.h"

namespace sunup::fleet {

struct BootstrapData {
  std::string custom_data;         // base64, as osProfile.customData wants it
  std::optional<std::string> cse;  // the custom script extension's command, where there is one
};

class Bootstrapper {
 public:
  virtual ~Bootstrapper() = default;
  virtual std::string_view name() const = 0;
  virtual Result<BootstrapData> make(const Resolution& node) const = 0;
};

const Bootstrapper& bootstrapper(Bootstrap kind);

}  // namespace sunup::fleet

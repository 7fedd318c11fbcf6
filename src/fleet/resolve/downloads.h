// What a node downloads if its image does not contain it.
#pragma once

#include <string>
#include <string_view>

namespace sunup::fleet {

struct Downloads {
  std::string kubernetes;           // empty if it is not published
  std::string credential_provider;  // empty for versions without one
  std::string azure_cni;
  std::string cni_plugins;
};

Downloads downloads(std::string_view kubernetes_version, std::string_view arch);

}  // namespace sunup::fleet

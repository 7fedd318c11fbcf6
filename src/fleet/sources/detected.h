// Values that the cluster reported.
#pragma once

#include <optional>
#include <string>

namespace sunup::fleet {

struct Detected {
  std::optional<std::string> kubernetes_version;  // without the leading v
  std::optional<std::string> ca_bundle;           // base64 of the PEM text
  std::optional<std::string> dns_service_ip;
};

}  // namespace sunup::fleet

// What the instance metadata service reports about a node: addresses, network interfaces, size and tags. One reply is
// used for a whole provisioning run. The parser is tolerant: a part that is missing or has an unexpected form is
// treated as unknown, because the reply differs between VM sizes and API versions.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"

namespace sunup::render::node {

struct NetworkInterface {
  std::string mac;  // lower case, with colons; empty if the reply has no valid one
  std::vector<std::string> ipv4;
  std::vector<std::string> ipv6;
};

struct ImdsFacts {
  std::string vm_size;
  std::vector<NetworkInterface> interfaces;               // the first is the primary one
  std::vector<std::pair<std::string, std::string>> tags;  // name, value
  bool foreseen = false;                                  // assumed before the service was queried: tags are unknown

  std::string primary_ipv4() const;
  std::string primary_ipv6() const;

  // Uses the first tag whose name contains `name`, ignoring case: whether its value contains "true", ignoring case. No
  // value if there is no such tag.
  std::optional<bool> tag(std::string_view name) const;
};

// Parses the body of /metadata/instance. Only a text that is not a JSON object is an error (exit code 234).
Result<ImdsFacts> parse_imds(std::string_view body);

}  // namespace sunup::render::node

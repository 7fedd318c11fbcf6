// What a node learns about itself from the instance metadata service: addresses, network interfaces, size and tags.
// One answer serves a whole provision. Reading is tolerant: a part that is missing or has another shape than usual is
// simply not known, because the answer differs between VM sizes and API versions.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"

namespace sunup::render::node {

struct NetworkInterface {
  std::string mac;  // lower case, with colons; empty if the answer has none that is one
  std::vector<std::string> ipv4;
  std::vector<std::string> ipv6;
};

struct ImdsFacts {
  std::string vm_size;
  std::vector<NetworkInterface> interfaces;               // the first is the primary one
  std::vector<std::pair<std::string, std::string>> tags;  // name, value
  bool foreseen = false;  // made up before the service was asked: what a tag decides is not known

  std::string primary_ipv4() const;
  std::string primary_ipv6() const;

  // The first tag whose name contains `name`, case aside, decides: is its value, case aside, something with "true" in
  // it? Nothing when there is no such tag.
  std::optional<bool> tag(std::string_view name) const;
};

// The body of /metadata/instance. Only text that is not a JSON object is an error (exit code 234).
Result<ImdsFacts> parse_imds(std::string_view body);

}  // namespace sunup::render::node

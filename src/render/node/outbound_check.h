// The outbound connectivity check that a config requests. The config contains a curl command line. Only that form is
// recognized, and the command is never run.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace sunup::render::node {

struct OutboundCheck {
  std::string url;
  bool verifies_certificate = true;  // false: only reachability counts, and data read through it is not trusted
};

// No value if there is no command. Anything other than a curl command with one http(s) URL and harmless flags is an
// error.
Result<std::optional<OutboundCheck>> outbound_check(std::string_view command);

}  // namespace sunup::render::node

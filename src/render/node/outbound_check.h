// The outbound connectivity check that a config asks for. It arrives as a curl command line; only that form is
// understood, and it is never run.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace sunup::render::node {

struct OutboundCheck {
  std::string url;
  bool verifies_certificate = true;  // false: only reachability counts, nothing read through it may be trusted
};

// Nothing when there is no command. What is not a curl command with one http(s) URL and harmless flags is refused.
Result<std::optional<OutboundCheck>> outbound_check(std::string_view command);

}  // namespace sunup::render::node

// Limits on the structure of untrusted text, checked before it is parsed: a line of fifty thousand brackets, or a few
// lines of YAML whose aliases expand to a billion nodes, must not exhaust memory or stack.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "base/result.h"

namespace sunup::fleet {

// The maximum number of nodes that the aliases of a YAML stream may expand to.
inline constexpr size_t kMaxAliased = 100000;

// Parses JSON text after checking its nesting. Use this for all untrusted JSON.
Result<nlohmann::json> parse_json(std::string_view text);

// Throws a YAML::Exception with its position if the stream is not UTF-8 or, with its aliases expanded, is nested too
// deeply or has too many nodes.
void check_yaml_bounds(const std::string& text);

}  // namespace sunup::fleet

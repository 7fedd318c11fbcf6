// How much structure a text may have before anybody builds it up: whoever reads what others wrote must not fall over a
// line of fifty thousand brackets, or over a few lines of YAML whose aliases stand for a billion nodes.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "base/result.h"

namespace sunup::fleet {

inline constexpr int kMaxNesting = 100;
// How many nodes the aliases of one YAML stream may stand for, all together.
inline constexpr size_t kMaxAliased = 100000;

// Are lists and objects of this JSON text nested deeper than kMaxNesting? Text that is no JSON may get either answer.
bool nested_too_deeply(std::string_view json);

// JSON text whose nesting is within bounds; the way to read any that came from outside.
Result<nlohmann::json> parse_json(std::string_view text);

// Throws a YAML::Exception with its place where the stream is nested too deeply, aliases followed, or has too many.
void check_yaml_bounds(const std::string& text);

}  // namespace sunup::fleet

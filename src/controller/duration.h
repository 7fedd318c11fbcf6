// Durations as people write them on a command line: "90s", "15m", "1h30m", "250ms". A bare number
// is seconds, as for sleep and timeout.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace sunup::controller {

// Nothing if it is not one, is negative, or is longer than 290 years.
std::optional<std::chrono::nanoseconds> parse_duration(std::string_view text);

}  // namespace sunup::controller

// Durations as Go programs write them ("1m30s", "100ms", "720h"), and as people write them in a flag.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace sunup {

// Parses like Go's time.ParseDuration: an optional sign and one or more of number + unit (ns us µs ms s m h), or "0".
// Empty for any other text, and for values that do not fit into 64 bits of nanoseconds.
std::optional<std::chrono::nanoseconds> parse_go_duration(std::string_view text);

// Go's own spelling: 90 s is "1m30s", 0 is "0s", 1.5 ms is "1.5ms".
std::string format_go_duration(std::chrono::nanoseconds duration);

// The value of a flag: the same without a sign; a plain number is in seconds, as for sleep and timeout. Empty for more
// than 290 years, because the value is added to the time of day.
std::optional<std::chrono::nanoseconds> parse_flag_duration(std::string_view text);

}  // namespace sunup

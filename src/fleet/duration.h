// Durations as the Go programs around us write them: "1m30s", "100ms", "720h".
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace sunup::fleet {

// Nanoseconds. One or more of number + unit (ns us µs ms s m h), an optional sign, or "0"; nothing else.
std::optional<int64_t> parse_duration(std::string_view text);

// The shortest of Go's spellings: 90 s is "1m30s", 0 is "0s", 1.5 ms is "1.5ms".
std::string format_duration(int64_t nanoseconds);

}  // namespace sunup::fleet

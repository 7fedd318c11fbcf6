// Formats times as in the log and the guest-agent events, in the zone of the machine.
#pragma once

#include <cstdint>
#include <string>

namespace sunup::report {

// Nanoseconds since 1970, UTC.
using WallTime = int64_t;

// 2026-11-15T18:59:35.12981556Z, ...-05:00: up to nine fraction digits, without trailing zeros.
std::string log_time(WallTime time);

// 2026-11-15 18:59:35.129: milliseconds, truncated.
std::string event_time(WallTime time);

}  // namespace sunup::report

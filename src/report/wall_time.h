// Formats times as in the log, the guest-agent events and provision.json, in the zone of the machine.
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

// "Sun 2026-11-15 18:48:09 UTC", the format of systemd, and "Sun Nov 15 18:48:09 UTC 2026", the format of `date`. Both
// are empty for 0.
std::string systemd_time(WallTime time);
std::string date_time(WallTime time);

}  // namespace sunup::report

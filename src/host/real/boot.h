// Who we are in time: the boot we run in, and when a process of it started.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>

namespace sunup::host::real {

std::string boot_id();  // "unknown" where /proc does not say

// In clock ticks since boot; nothing when there is no such process.
std::optional<uint64_t> process_start_ticks(pid_t pid);

}  // namespace sunup::host::real

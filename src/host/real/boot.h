// Identifies the current boot and the start time of a process.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>

namespace sunup::host::real {

std::string boot_id();  // "unknown" if /proc does not have it

// In clock ticks since boot; empty if there is no such process.
std::optional<uint64_t> process_start_ticks(pid_t pid);

}  // namespace sunup::host::real

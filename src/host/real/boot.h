// Identifies the current boot and the start time of a process.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>

#include "base/result.h"

namespace sunup::host::real {

// "unknown" if /proc does not have it. A file that cannot be read (EMFILE, EIO) is an error, not another boot.
Result<std::string> boot_id();

// In clock ticks since boot; empty if there is no such process.
Result<std::optional<uint64_t>> process_start_ticks(pid_t pid);

}  // namespace sunup::host::real

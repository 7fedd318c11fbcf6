// Reads /proc/PID/mountinfo (proc_pid_mountinfo(5)).
//
//   36 35 98:0 /root /target options [optional...] - type source super-options
#pragma once

#include <string_view>
#include <vector>

#include "host/kernel.h"

namespace sunup::host::real {

// A line without a target, a type or a source is left out. Blanks and backslashes, which are octal in the file, are
// decoded.
std::vector<Mount> parse_mountinfo(std::string_view text);

}  // namespace sunup::host::real

// Starts a program as a child, with the streams, environment and priority of the command.
#pragma once

#include <sys/types.h>

#include "base/result.h"
#include "host/processes.h"

namespace sunup::host::real {

// The descriptors become stdin, stdout and stderr of the child; `in` below 0: /dev/null. They must be above 2, because
// the standard descriptors of this process are open (base/descriptors.h). The command is not changed; it is not const
// because exec takes non-const pointers.
Result<pid_t> spawn(Command& command, int in, int out, int err);

}  // namespace sunup::host::real

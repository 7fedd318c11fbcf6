// Starts a program as a child, with its streams, environment and priority as the command has them.
#pragma once

#include <sys/types.h>

#include "base/result.h"
#include "host/processes.h"

namespace sunup::host::real {

// The descriptors become its stdin, stdout and stderr; `in` below 0: /dev/null. They are above 2: our own standard
// descriptors are open (base/descriptors.h). The command is not changed: exec only wants pointers that could.
Result<pid_t> spawn(Command& command, int in, int out, int err);

}  // namespace sunup::host::real

// Extracts programs from archives on the disk. A program becomes visible only when it is complete.
#pragma once

#include <string>

#include "base/result.h"
#include "host/host.h"

namespace sunup::plan {

// Extracts the regular files at the top level of a .tar.gz into a directory, with mode 0755.
host::Task<Result<void>> extract_all(host::Host& host, std::string archive, std::string folder);

// Extracts the program with that name to `to`, with mode 0755, from an archive or a package (formats:
// archive/program.h).
host::Task<Result<void>> extract_program(host::Host& host, std::string archive, std::string name, std::string to);

}  // namespace sunup::plan

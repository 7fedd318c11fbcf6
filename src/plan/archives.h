// Programs out of archives on the disk: what an image does not have ready is unpacked here, and becomes visible whole
// or not at all.
#pragma once

#include <string>

#include "base/result.h"
#include "host/host.h"

namespace sunup::plan {

// Unpacks the plain files at the top of a .tar.gz into a folder, 0755.
host::Task<Result<void>> extract_all(host::Host& host, std::string archive, std::string folder);

// Unpacks the program of that name to `to`, 0755, from an archive or a package (archive/program.h says which).
host::Task<Result<void>> extract_program(host::Host& host, std::string archive, std::string name, std::string to);

}  // namespace sunup::plan

// Functions that the timeline verbs share: paths, and the output.
#pragma once

#include <string>

#include "base/result.h"

namespace sunup {

// Converts a path to an absolute one, which the functions of host/ require.
std::string absolute(const std::string& path);

// Writes to the file of --out (host/real/output_file.h); empty or "-" is stdout.
Result<void> put(const std::string& file, std::string_view content, mode_t mode = 0666);

}  // namespace sunup

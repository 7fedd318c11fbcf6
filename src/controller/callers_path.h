// The absolute form of a path on the command line, which Node::callers_files requires.
#pragma once

#include <string>

#include "base/result.h"

namespace sunup::controller {

// An error if it is relative to a working directory that no longer exists.
Result<std::string> callers_path(const std::string& path);

}  // namespace sunup::controller

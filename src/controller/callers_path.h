// A path as the command line names it, from "/" on: Node::callers_files takes no other.
#pragma once

#include <string>

#include "base/result.h"

namespace sunup::controller {

// The error: it counts from a working directory that is gone.
Result<std::string> callers_path(const std::string& path);

}  // namespace sunup::controller

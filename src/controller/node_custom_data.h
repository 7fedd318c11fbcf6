// The node custom data: script fixes for an image, as a list of files to write.
#pragma once

#include <set>
#include <string>

#include "base/result.h"
#include "controller/node.h"

namespace sunup::controller {

// Writes the files of the list at `path`, without those in `except`. If an entry is invalid, or a file cannot be read
// or written, none is changed, because scripts of different versions do not work together. If there is no list, nothing
// is done.
Result<void> apply_custom_data(Node& node, const char* path, const std::set<std::string>& except = {});

}  // namespace sunup::controller

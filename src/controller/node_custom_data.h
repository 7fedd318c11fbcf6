// The node custom data: script fixes for an image, as a list of files to write.
#pragma once

#include <set>
#include <string>

#include "base/result.h"
#include "controller/node.h"

namespace sunup::controller {

// Writes the files of the list at `path`, without those that are in `except`. If one entry cannot be used, or one of
// the files cannot be looked at or written, none is changed: scripts of two versions do not fit together. No such list:
// nothing to do.
Result<void> apply_custom_data(Node& node, const char* path, const std::set<std::string>& except = {});

}  // namespace sunup::controller

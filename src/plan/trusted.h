// Whether only root can change a file. Hooks run as root, so their declarations and programs must be such files.
#pragma once

#include <string>

#include "host/files.h"

namespace sunup::plan {

// The reason why this file or directory can be changed by others than root; empty: it cannot. In a tree (`files_only`)
// the user of this process counts as root.
std::string distrust(const host::FileInfo& info, bool files_only);

// An error if others than root can change what is at this path, or put another file there. Each directory on the way to
// it counts, including those that a link leads through. A sticky directory such as /tmp is refused like any other that
// others can write to: a file in it may have been there before root's.
Result<void> only_root_changes(host::Files& files, const std::string& path, bool files_only);

}  // namespace sunup::plan

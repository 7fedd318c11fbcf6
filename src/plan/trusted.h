// Whether only root can change a file. Hooks run as root, so their declarations and programs must be such files.
#pragma once

#include <string>

#include "host/files.h"

namespace sunup::plan {

// The reason why users other than root can change this file or directory; empty if they cannot. In a tree
// (`files_only`) the user of this process counts as root.
std::string distrust(const host::FileInfo& info, bool files_only);

// An error if users other than root can change the file at this path, or replace it. Every directory on the path is
// checked, including those of symbolic links. A sticky directory such as /tmp is refused like any other directory that
// others can write to, because a file in it may be older than root's.
Result<void> only_root_changes(host::Files& files, const std::string& path, bool files_only);

}  // namespace sunup::plan

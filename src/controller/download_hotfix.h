// `download-hotfix`: installs the patch that the hotfix pointer requests. First the scripts (they are on the disk
// already), then this program, with the package manager of the image. Without a pointer, or with an invalid one,
// nothing is changed.
#pragma once

#include "controller/node.h"
#include "host/task.h"

namespace sunup::controller {

// The exit code: 0 if there was nothing to do or it is done, otherwise 1 or the code of the failed package command.
host::Task<int> download_hotfix(Node& node);

}  // namespace sunup::controller

// `download-hotfix`: brings the node to the patch that the hotfix pointer wants. Scripts first (they are on the disk
// already), then this program, through the package manager of the image. A node without a wish, or with one that cannot
// be read, goes on as it is.
#pragma once

#include "controller/node.h"
#include "host/task.h"

namespace sunup::controller {

// The exit code: 0 if there was nothing to do or it is done, else 1, or the code of the package command that failed.
host::Task<int> download_hotfix(Node& node);

}  // namespace sunup::controller

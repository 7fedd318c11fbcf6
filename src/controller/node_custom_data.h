// The node custom data: script fixes for an image, as a list of files to write.
#pragma once

#include "base/result.h"
#include "controller/node.h"

namespace sunup::controller {

// Writes the files of /opt/azure/containers/nodecustomdata.yml. If one entry cannot be used, or one of the files cannot
// be looked at, none is written: scripts of two versions do not fit together. No such file: nothing to do.
Result<void> apply_custom_data(Node& node);

}  // namespace sunup::controller

// After a failure the image's collector takes the logs to where support looks for them: a node that does not come up
// may be gone before anybody has asked.
#pragma once

#include "controller/node.h"
#include "host/task.h"

namespace sunup::controller {

// To be called when the result is there. Best effort and bounded: what goes wrong is logged.
host::Task<void> upload_logs(Node& node);

}  // namespace sunup::controller

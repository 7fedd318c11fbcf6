// After a failure, runs the image's log collector, which uploads the logs for support: a failed node may be deleted
// before it is investigated.
#pragma once

#include "controller/node.h"
#include "host/task.h"

namespace sunup::controller {

// Call it after the result is written. Best effort, with a time limit; failures are logged.
host::Task<void> upload_logs(Node& node);

}  // namespace sunup::controller

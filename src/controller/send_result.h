// Sends the result of provisioning to the service that paths::kResultService names.
#pragma once

#include "controller/node.h"
#include "controller/outcome.h"
#include "host/task.h"

namespace sunup::controller {

// Whether it is sent: the node has the file, and the run was that of a node, not the preparation of an image or of a
// tree of files.
bool sends_result(Node& node, const Outcome& outcome);

// Call it after the result is written. An error is logged and has no other effect.
host::Task<void> send_result(Node& node, Outcome outcome);

}  // namespace sunup::controller

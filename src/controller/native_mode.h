// The seam to native provisioning: the built-in steps instead of the image's scripts.
#pragma once

#include "contract/load.h"
#include "controller/node.h"
#include "controller/outcome.h"
#include "host/task.h"

namespace sunup::controller {

// Provisions this node from `config`. On failure the outcome carries the step's exit code; the caller sees to the
// result files.
host::Task<Outcome> provision_natively(Node& node, contract::Loaded config, bool dry_run);

}  // namespace sunup::controller

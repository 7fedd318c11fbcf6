// Loads the node config that a verb was given, for both modes.
#pragma once

#include <string>

#include "base/result.h"
#include "contract/load.h"
#include "controller/node.h"

namespace sunup::controller {

// Loads the config, redacts its secrets in all output from then on, and keeps its bootstrap token in `node`. Tolerated
// findings are reported to the log and to the guest agent unless `quiet`.
Result<contract::Loaded> load_config(Node& node, const std::string& path, bool quiet = false);

}  // namespace sunup::controller

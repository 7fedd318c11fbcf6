// The errors that contract/check.h finds in the config of a node. They do not stop provisioning, because a finding may
// be wrong for this node, but the result of a failure names them.
#pragma once

#include <string>
#include <vector>

#include "contract/load.h"
#include "controller/node.h"

namespace sunup::controller {

// "$.cluster_config.location: this field is required and missing". Errors only.
std::vector<std::string> config_mistakes(Node& node, const contract::Configuration& config);

// The hint for a failure: its own hint, then the first mistake. The general remedy of its exit code is used only if it
// has no hint of its own.
std::string hint_with(std::string hint, const std::vector<std::string>& mistakes, std::string_view remedy = {});

}  // namespace sunup::controller

// What is wrong with a config by its meaning (contract/check.h), for a node that has to live with it. The node is not
// refused for it: whoever made the config may know better. But who asks why the node failed is told.
#pragma once

#include <string>
#include <vector>

#include "contract/load.h"
#include "controller/node.h"

namespace sunup::controller {

// "$.cluster_config.location: this field is required and missing". Errors only.
std::vector<std::string> config_mistakes(Node& node, const contract::Configuration& config);

// What to do about a failure: its own hint, then the first of them; what can be said of its exit code in general only
// if it has no hint of its own.
std::string hint_with(std::string hint, const std::vector<std::string>& mistakes, std::string_view remedy = {});

}  // namespace sunup::controller

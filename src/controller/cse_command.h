// From a node config to what scripts mode runs: the image's provisioning script with the CSE environment. The config is
// read here for native mode too.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "contract/load.h"
#include "controller/node.h"
#include "host/task.h"
#include "render/cse_env.h"

namespace sunup::controller {

// Loads the config and hides its secrets from everything we write. What was tolerated in it is said in the log and to
// the guest agent; `quiet`: only load and hide.
Result<contract::Loaded> load_config(Node& node, const std::string& path, bool quiet = false);

// The environment that the config makes on this image. Asks the image: its component list, its containerd.
host::Task<Result<render::Environment>> cse_environment(Node& node, const contract::Configuration& config);

// The paths of the environment that the one-liner of cse_argv() itself uses are below the node's root, as those in its
// text are.
void below_root(const Node& node, render::Environment& environment);

// /bin/bash -c <one line>, the same for every config.
std::vector<std::string> cse_argv(const Node& node);

}  // namespace sunup::controller

// The command of scripts mode, made from a node config: the image's provisioning script with the CSE environment.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "contract/load.h"
#include "controller/node.h"
#include "host/task.h"
#include "render/cse_env.h"

namespace sunup::controller {

// The environment of the config on this image. Reads the component list and the containerd version of the image.
host::Task<Result<render::Environment>> cse_environment(Node& node, const contract::Configuration& config);

// Adds the node's root to the paths in the environment that the command of cse_argv() itself uses, as in its text.
void below_root(const Node& node, render::Environment& environment);

// /bin/bash -c <one line>; the same for every config.
std::vector<std::string> cse_argv(const Node& node);

}  // namespace sunup::controller

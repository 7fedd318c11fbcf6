// kubelet's config file, /etc/default/kubeletconfig.json, with this node's choice of serving certificate worked in.
#pragma once

#include "base/result.h"
#include "render/node/facts.h"
#include "render/node/node_file.h"

namespace sunup::render::node {

// Nothing unless the config wants such a file.
Result<NodeFiles> kubelet_config_files(const Configuration& config, const NodeFacts& facts);

}  // namespace sunup::render::node

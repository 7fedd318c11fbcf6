// kubelet's config file, /etc/default/kubeletconfig.json, adapted to the serving certificate that this node uses.
#pragma once

#include "base/result.h"
#include "render/node/facts.h"
#include "render/node/node_file.h"

namespace sunup::render::node {

// Empty unless the config requests such a file.
Result<NodeFiles> kubelet_config_files(const Configuration& config, const NodeFacts& facts);

}  // namespace sunup::render::node

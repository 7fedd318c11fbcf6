// A private cluster whose API server is found through a tag of the VM: an agent of the image keeps /etc/hosts up to
// date.
#pragma once

#include "base/result.h"
#include "render/node/facts.h"
#include "render/node/node_file.h"

namespace sunup::render::node {

Result<NodeFiles> private_hosts_files(const Configuration& config, const NodeFacts& facts);

}  // namespace sunup::render::node

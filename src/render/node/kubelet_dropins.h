// The drop-ins of kubelet's unit that set its flags and limits. Drop-ins that belong to a feature (proxy, reserved
// cgroups, native pre-start) are rendered with that feature.
#pragma once

#include <string>
#include <string_view>

#include "render/node/facts.h"
#include "render/node/node_file.h"

namespace sunup::render::node {

// "/etc/systemd/system/kubelet.service.d/<name>"
std::string kubelet_dropin_path(std::string_view name);

// Those of the image phase: they are the same for any cluster.
NodeFiles kubelet_base_dropins(const Configuration& config, const NodeFacts& facts);
// Those of the node phase: they depend on the cluster and the machine.
NodeFiles kubelet_node_dropins(const Configuration& config, const NodeFacts& facts);

}  // namespace sunup::render::node

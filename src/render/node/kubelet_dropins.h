// The drop-ins of kubelet's unit that set its flags and limits. Those that belong to a feature (proxy, reserved
// cgroups, native pre-start) are made with that feature.
#pragma once

#include <string>
#include <string_view>

#include "render/node/facts.h"
#include "render/node/node_file.h"

namespace sunup::render::node {

// "/etc/systemd/system/kubelet.service.d/<name>"
std::string kubelet_dropin_path(std::string_view name);

// From the image's phase: what holds for any cluster.
NodeFiles kubelet_base_dropins(const Configuration& config, const NodeFacts& facts);
// From the node's phase: what belongs to this cluster and this machine.
NodeFiles kubelet_node_dropins(const Configuration& config, const NodeFacts& facts);

}  // namespace sunup::render::node

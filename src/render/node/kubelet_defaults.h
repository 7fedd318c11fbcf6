// /etc/default/kubelet: the environment of kubelet's unit, and with it kubelet's flags and labels.
#pragma once

#include <string>

#include "base/result.h"
#include "render/node/facts.h"
#include "render/node/node_file.h"

namespace sunup::render::node {

// The config's flags, with the node's addresses and the serving certificate's choice worked in. From 1.29 on kubelet is
// told its addresses, because its own guess differs from the cloud's on nodes with several.
std::string node_kubelet_flags(const Configuration& config, const NodeFacts& facts);

// The config's labels, plus the ones that tell what is switched on here.
std::string node_kubelet_labels(const Configuration& config, const NodeFacts& facts);

// Fails when a value cannot stand in such a file (a line break).
Result<NodeFile> kubelet_defaults(const Configuration& config, const NodeFacts& facts);

}  // namespace sunup::render::node

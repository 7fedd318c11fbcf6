// /etc/default/kubelet: the environment of kubelet's unit, which contains kubelet's flags and labels.
#pragma once

#include <string>

#include "base/result.h"
#include "render/node/facts.h"
#include "render/node/node_file.h"

namespace sunup::render::node {

// The config's flags, with the node's addresses and the flags for its serving certificate. From 1.29 on kubelet gets
// its addresses as a flag, because on nodes with several addresses its own choice differs from the cloud's.
std::string node_kubelet_flags(const Configuration& config, const NodeFacts& facts);

// The config's labels, plus those that show which features are disabled here.
std::string node_kubelet_labels(const Configuration& config, const NodeFacts& facts);

// An error if a value cannot be represented in such a file (a line break).
Result<NodeFile> kubelet_defaults(const Configuration& config, const NodeFacts& facts);

}  // namespace sunup::render::node

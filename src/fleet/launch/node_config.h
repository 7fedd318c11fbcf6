// The AKSNodeConfig of a resolved node, for the generation of images that reads a config file instead of variables. It
// also contains settings that have no variable: local DNS, kernel settings, swap, artifact streaming.
#pragma once

#include "contract/load.h"
#include "fleet/resolve/resolution.h"

namespace sunup::fleet {

contract::Configuration node_config(const Resolution& node);

// The two parts of it: what all nodes of a kind share, and kubelet's flags and labels, which it replaces.
contract::Configuration kind_config(const NodeKind& kind);
void set_kubelet(contract::Configuration& config, const ValueMap& flags, const ValueMap& labels);

// Applies the rules of `sunup config check` to the config of a kind before a VM is created. Returns the first error,
// which means that no node becomes Ready, with the source of the value if known; warnings are added to the findings.
// Labels and taints of a claim have separate rules.
std::optional<Error> refuse_node_config(const NodeKind& kind, Findings& findings);

}  // namespace sunup::fleet

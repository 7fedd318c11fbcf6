// Applies the rules of `sunup config check` to the AKSNodeConfig of a node before a VM is created. An error means that
// no node becomes Ready with it, whatever its source.
#pragma once

#include <optional>

#include "base/result.h"
#include "fleet/resolve/resolution.h"
#include "fleet/sources/schema.h"

namespace sunup::fleet {

// The first error, with the source of the value if known; warnings are added to the findings. The result is the same
// for all nodes of a pool, class and size: labels and taints of a claim have separate rules.
std::optional<Error> refuse_node_config(const Resolution& node, Findings& findings);

}  // namespace sunup::fleet

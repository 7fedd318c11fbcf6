// The AKSNodeConfig of a node, held against the rules of `sunup config check` before anybody starts a VM with it. What
// they call an error no node starts with, whichever source it came from.
#pragma once

#include <optional>

#include "base/result.h"
#include "fleet/resolution.h"
#include "fleet/schema.h"

namespace sunup::fleet {

// The first error, with who set the value where that is known; warnings are added to the findings. What it judges is
// the same for all nodes of a pool, class and size: labels and taints of a claim have rules of their own.
std::optional<Error> refuse_node_config(const Resolution& node, Findings& findings);

}  // namespace sunup::fleet

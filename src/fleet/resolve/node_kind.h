// The common part of all nodes of a pool, node class and instance type. It is computed once, shared and immutable; a
// node adds the parts of its claim: name, labels, taints, zone and capacity type.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "fleet/resolve/bootstrapper.h"
#include "fleet/resolve/resolution.h"

namespace sunup::fleet {

struct NodeKind {
  Resolution node;                              // the part that does not depend on the claim
  std::vector<std::string> unfit_labels;        // labels that are invalid unless the claim replaces them
  std::unique_ptr<const BootstrapFrame> frame;  // of the bootstrap data
  std::string in_place_update_hash;
  // Parts of the launch template: the text before capacity type and zone, and from there to the custom data.
  std::string template_start;
  std::string template_middle;
};

}  // namespace sunup::fleet

// What nodes of one pool, node class and instance type have in common, which is nearly everything. Made once, shared by
// all of them and never changed; a node adds to it what its claim says: its name, labels, taints, zone and capacity
// type.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "fleet/bootstrapper.h"
#include "fleet/resolution.h"

namespace sunup::fleet {

struct NodeKind {
  Resolution node;                              // as every node of the kind is before its claim is heard
  std::vector<std::string> unfit_labels;        // of those: what a node goes without, unless its claim mends it
  std::unique_ptr<const BootstrapFrame> frame;  // of the data it is bootstrapped from
  std::string in_place_update_hash;
  // Of the launch template: what stands before capacity type and zone, and from there to the custom data.
  std::string template_start;
  std::string template_middle;
};

}  // namespace sunup::fleet

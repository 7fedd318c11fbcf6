// The labels a node registers with, each with its history.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "fleet/resolve/resolution.h"

namespace sunup::fleet {

// Labels of all nodes of a kind, from its sources, image, version and subnet.
ValueMap kind_labels(const NodeKind& kind);

struct ClaimLabelInputs {
  const NodeClaim* claim = nullptr;
  const NodePool* pool = nullptr;  // may be null
  const Choice* capacity_type = nullptr;
  const Choice* zone = nullptr;  // its value may be empty
};
// The labels that a claim adds.
void offer_claim_labels(ValueMap& labels, const ClaimLabelInputs& in);

// The names of labels that kubelet cannot register with.
std::vector<std::string> unfit_labels(const ValueMap& labels);
// Removes user labels that kubelet may not set (the controller sets them) and labels with an invalid value, each with a
// warning. `suspects` are the invalid labels of the map's base.
void drop_unfit_labels(ValueMap& labels, const std::vector<std::string>& suspects, Findings& findings);

// The name of a resource group as a label value.
std::string resource_group_label(std::string_view name);

}  // namespace sunup::fleet

// The labels a node registers with, each with its history.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "fleet/image_family.h"
#include "fleet/instance_type.h"
#include "fleet/node_class.h"
#include "fleet/node_pool.h"
#include "fleet/provenance.h"
#include "fleet/requirements.h"
#include "fleet/schema.h"
#include "fleet/settings.h"

namespace sunup::fleet {

struct KindLabelInputs {
  const Settings* settings = nullptr;
  const NodePool* pool = nullptr;  // may be null
  const NodeClass* node_class = nullptr;
  const InstanceType* instance_type = nullptr;
  const ImageFamily* family = nullptr;
  std::string_view kubernetes_version;
  std::string_view subnet_name;
  bool local_dns = false;           // is it really on, on this node?
  bool artifact_streaming = false;  // likewise
};
// Of all nodes of a pool, class and size.
ValueMap kind_labels(const KindLabelInputs& in);

struct ClaimLabelInputs {
  const NodeClaim* claim = nullptr;
  const NodePool* pool = nullptr;  // may be null
  const Choice* capacity_type = nullptr;
  const Choice* zone = nullptr;  // its value may be empty
};
// What a claim adds to them.
void offer_claim_labels(ValueMap& labels, const ClaimLabelInputs& in);

// Which of them no kubelet can register with, by name.
std::vector<std::string> unfit_labels(const ValueMap& labels);
// Leaves out a user's label that a kubelet may not set, which is left to the controller, and one whose value no label
// can have, each with a warning. `suspects` are those of the map's base that are unfit as they are there.
void drop_unfit_labels(ValueMap& labels, const std::vector<std::string>& suspects, Findings& findings);

// May a kubelet set this label on its own node?
bool kubelet_may_set(std::string_view key);

// A resource group's name as a label's value.
std::string resource_group_label(std::string_view name);

}  // namespace sunup::fleet

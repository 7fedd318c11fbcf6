// The labels a node registers with, each with its history.
#pragma once

#include <string>
#include <string_view>

#include "fleet/image_family.h"
#include "fleet/instance_type.h"
#include "fleet/node_class.h"
#include "fleet/node_pool.h"
#include "fleet/provenance.h"
#include "fleet/requirements.h"
#include "fleet/schema.h"
#include "fleet/settings.h"

namespace sunup::fleet {

struct LabelInputs {
  const Settings* settings = nullptr;
  const NodePool* pool = nullptr;  // may be null
  const NodeClass* node_class = nullptr;
  const NodeClaim* claim = nullptr;
  const InstanceType* instance_type = nullptr;
  const ImageFamily* family = nullptr;
  std::string_view kubernetes_version;
  std::string_view subnet_name;
  const Choice* capacity_type = nullptr;
  const Choice* zone = nullptr;     // its value may be empty
  bool local_dns = false;           // is it really on, on this node?
  bool artifact_streaming = false;  // likewise
};

// All labels a kubelet may set; a user's label that it may not set is left to the controller, and one whose value no
// label can have is left out, each with a warning.
ValueMap node_labels(const LabelInputs& in, Findings& findings);

// May a kubelet set this label on its own node?
bool kubelet_may_set(std::string_view key);

// A resource group's name as a label's value.
std::string resource_group_label(std::string_view name);

}  // namespace sunup::fleet

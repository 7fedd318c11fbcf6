// Kubelet's command line: the base every AKS node has, the edits each Kubernetes version needs, and what the user
// says, each flag with its history.
#pragma once

#include <optional>
#include <string>

#include "base/semver.h"
#include "fleet/instance_type.h"
#include "fleet/node_class.h"
#include "fleet/node_pool.h"
#include "fleet/provenance.h"
#include "fleet/settings.h"

namespace sunup::fleet {

struct FlagInputs {
  const Settings* settings = nullptr;
  const NodePool* pool = nullptr;  // may be null
  const NodeClass* node_class = nullptr;
  const NodeClaim* claim = nullptr;
  const InstanceType* instance_type = nullptr;
  Version kubernetes;
  Value<std::string> cluster_dns;
  bool carries_all_settings = false;  // also those that scripts of the first generation have no flag for
};

ValueMap kubelet_flags(const FlagInputs& in);

// What flag --max-pods will say.
int max_pods(const Settings& settings, const NodePool* pool, const NodeClass& node_class);

// The taints a node registers with: general, then startup, then the mark that it is not registered yet.
std::string register_with_taints(const NodeClaim& claim);

}  // namespace sunup::fleet

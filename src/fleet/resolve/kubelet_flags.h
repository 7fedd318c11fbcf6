// Kubelet's command line: the base every AKS node has, the edits each Kubernetes version needs, and what the user
// says, each flag with its history.
#pragma once

#include <optional>
#include <string>

#include "base/result.h"
#include "base/version.h"
#include "fleet/sources/instance_type.h"
#include "fleet/sources/node_class.h"
#include "fleet/sources/node_pool.h"
#include "fleet/sources/provenance.h"
#include "fleet/sources/settings.h"

namespace sunup::fleet {

struct FlagInputs {
  const Settings* settings = nullptr;
  const NodePool* pool = nullptr;  // may be null
  const NodeClass* node_class = nullptr;
  const InstanceType* instance_type = nullptr;
  Version kubernetes;
  Value<std::string> cluster_dns;
  bool carries_all_settings = false;  // also those that scripts of the first generation have no flag for
};

// All but the taints, which are the claim's to say.
ValueMap kubelet_flags(const FlagInputs& in);

// What flag --max-pods will say.
int max_pods(const Settings& settings, const NodePool* pool, const NodeClass& node_class);

// Kubelet's command line is split at white space, so a value that holds any would be more flags than one. The rules of
// every source keep it out; this is for the source that has no rule. Says whose value it is. Looks at what the map says
// itself; its base was looked at when it was made.
std::optional<Error> refuse_spaced_flags(const ValueMap& flags);

// Kubelet does not start with two taints of one key and effect; two that are alike are one.
std::optional<Error> refuse_rival_taints(const NodeClaim& claim);

// The taints a node registers with: general, then startup, then the mark that it is not registered yet.
std::string register_with_taints(const NodeClaim& claim);

}  // namespace sunup::fleet

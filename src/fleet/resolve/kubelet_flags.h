// Kubelet's command line: the base that every AKS node has, the changes of each Kubernetes version, and the settings of
// the user, each flag with its history.
#pragma once

#include <optional>
#include <string>

#include "base/result.h"
#include "fleet/resolve/resolution.h"

namespace sunup::fleet {

// All flags but the taints, which depend on the claim. Uses the sources, version and DNS address of the kind.
ValueMap kubelet_flags(const NodeKind& kind);

// The value of flag --max-pods.
int max_pods(const Settings& settings, const NodePool* pool, const NodeClass& node_class);

// Kubelet's command line is split at white space, so a value with white space would become several flags. The rules of
// every source exclude that; this check covers a source without a rule, and names it. Only the map's own entries are
// checked, not its base.
std::optional<Error> refuse_spaced_flags(const ValueMap& flags);

// Kubelet does not start with some combinations of flags: each source may be valid by itself, but not the default of
// one together with the value of another. The error names the flags and their sources.
std::optional<Error> refuse_impossible_flags(const ValueMap& flags);

// Kubelet does not start with two taints that have the same key and effect and different values.
std::optional<Error> refuse_rival_taints(const NodeClaim& claim);

// The taints that a node registers with: general, then startup, then the one that marks it as not registered yet.
std::string register_with_taints(const NodeClaim& claim);

}  // namespace sunup::fleet

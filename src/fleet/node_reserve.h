// What a node keeps from its pods: for kubelet, for the system, and free at all times (hard eviction). The defaults by
// the size, and what an older pool says of a resource in place of the default for that resource alone: who reserves cpu
// has not said that memory needs none.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "fleet/instance_type.h"
#include "fleet/node_class.h"
#include "fleet/node_pool.h"
#include "fleet/settings.h"

namespace sunup::fleet {

// The flag text "cpu=100m,memory=1Gi" (or with '<' between) with the amounts of `said` in place of its own.
std::string with_amounts(std::string_view text, char between, const std::map<std::string, std::string>& said);

struct ReserveInputs {
  const Settings* settings = nullptr;
  const NodePool* pool = nullptr;  // may be null
  const NodeClass* node_class = nullptr;
};

// Of cpu, memory or ephemeral-storage, in thousandths (and bytes): what a node of this size has, and what of it is kept
// from pods.
int64_t node_capacity(const ReserveInputs& in, std::string_view resource, const InstanceType& type);
int64_t kept_from_pods(const ReserveInputs& in, std::string_view resource, const InstanceType& type);

// Kubelet does not start when more is kept than there is: "would keep 64 of its 4 cpu ..." of the first such resource;
// empty when there is none.
std::string why_over_reserved(const ReserveInputs& in, const InstanceType& type);
std::optional<Error> refuse_over_reserved(const ReserveInputs& in, const InstanceType& type);

}  // namespace sunup::fleet

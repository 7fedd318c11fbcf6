// The resources that a node reserves: for kubelet, for the system, and for hard eviction. The defaults depend on the
// size; an older pool's value for a resource replaces only the default of that resource.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "fleet/sources/instance_type.h"
#include "fleet/sources/node_class.h"
#include "fleet/sources/node_pool.h"
#include "fleet/sources/settings.h"

namespace sunup::fleet {

// What AKS reserves for Kubernetes by default. The rates are progressive: each slice of the amount has its own rate;
// the result is rounded down.
int64_t kube_reserved_millicores(double cpus);
int64_t kube_reserved_mebibytes(double memory_gib);
std::string kube_reserved(double cpus, double memory_gib);  // "cpu=100m,memory=1843Mi"

// The memory that the scheduler sees, in bytes: whole GiB, less the share of the hypervisor.
int64_t schedulable_memory_bytes(double memory_gib, double overhead_fraction);

// The flag text "cpu=100m,memory=1Gi" (or with '<' between) with its amounts replaced by those of `said`.
std::string with_amounts(std::string_view text, char between, const std::map<std::string, std::string>& said);

struct ReserveInputs {
  const Settings* settings = nullptr;
  const NodePool* pool = nullptr;  // may be null
  const NodeClass* node_class = nullptr;
};

// The total and the reserved amount of cpu, memory or ephemeral-storage of a node of this size, in thousandths (and
// bytes).
int64_t node_capacity(const ReserveInputs& in, std::string_view resource, const InstanceType& type);
int64_t kept_from_pods(const ReserveInputs& in, std::string_view resource, const InstanceType& type);

// Kubelet does not start if more is reserved than available: "would reserve 64 of cpu ..." for the first such resource;
// empty if there is none.
std::string why_over_reserved(const ReserveInputs& in, const InstanceType& type);
std::optional<Error> refuse_over_reserved(const ReserveInputs& in, const InstanceType& type);

}  // namespace sunup::fleet

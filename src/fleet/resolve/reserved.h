// The resources that AKS reserves for Kubernetes.
#pragma once

#include <cstdint>
#include <string>

namespace sunup::fleet {

// Progressive rates: each slice of the amount has its own rate; the result is rounded down.
int64_t kube_reserved_millicores(double cpus);
int64_t kube_reserved_mebibytes(double memory_gib);

// "cpu=100m,memory=1843Mi"
std::string kube_reserved(double cpus, double memory_gib);

// The memory that the scheduler sees, in bytes: whole GiB, less the share of the hypervisor.
int64_t schedulable_memory_bytes(double memory_gib, double overhead_fraction);

}  // namespace sunup::fleet

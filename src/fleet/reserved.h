// How much of a node AKS keeps for Kubernetes itself.
#pragma once

#include <cstdint>
#include <string>

namespace sunup::fleet {

// A tax by brackets: each slice of the amount is charged its own rate; what is left of a unit is cut off.
int64_t kube_reserved_millicores(double cpus);
int64_t kube_reserved_mebibytes(double memory_gib);

// "cpu=100m,memory=1843Mi"
std::string kube_reserved(double cpus, double memory_gib);

// What the scheduler sees of the memory, in bytes: whole GiB, less the share the hypervisor takes.
int64_t schedulable_memory_bytes(double memory_gib, double overhead_fraction);

}  // namespace sunup::fleet

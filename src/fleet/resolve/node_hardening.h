// Node hardening (option enable-node-hardening): larger reservations that kubelet enforces, as AKS computes them for
// node pools with this feature. The sums use the memory of the size in MiB, before the hypervisor's share.
//
// - memory of kube-reserved: 35 MiB per pod, plus 2 % of the memory but at least 250 MiB; at most 25 % of the memory
// - memory of system-reserved: 200 MiB, plus 100 MiB for every whole 32 GiB, plus 100 MiB with Azure CNI
// - eviction (hard, soft): 250 and 500 MiB up to 8 GiB, 512 and 1024 MiB from 32 GiB on, otherwise 375 and 750 MiB
//
// AKS also reserves memory for GPUs. That sum is not published in a release yet and is not part of this.
#pragma once

#include <cstdint>

#include "fleet/sources/provenance.h"
#include "fleet/sources/settings.h"

namespace sunup::fleet {

struct HardenedMemory {
  int64_t kube_reserved = 0;  // all in MiB
  int64_t system_reserved = 0;
  int64_t evict_hard = 0;
  int64_t evict_soft = 0;
};
HardenedMemory hardened_memory(int64_t memory_mib, int max_pods, bool azure_cni);

inline constexpr int64_t kHardenedSystemMillicores = 100;
inline constexpr int64_t kHardenedSystemStorageGib = 1;
inline constexpr int kHardenedNodefsPercent = 10;  // that hard eviction keeps free

// Whether nodes are hardened: the option is set, and the provision mode is not bootstrappingclient, in which the
// scheduler does not know of it.
bool is_hardened(const Settings& settings);

// For a size of which only the memory is known.
HardenedMemory hardened_memory(const Settings& settings, double memory_gib, int max_pods);

// Replaces the flags of a node that is not hardened. --kube-reserved keeps its cpu.
void offer_hardened_flags(ValueMap& flags, const HardenedMemory& memory, int64_t kube_millicores);

}  // namespace sunup::fleet

#include "fleet/resolve/node_hardening.h"

#include <fmt/format.h>

#include <algorithm>

#include "fleet/sources/quantity.h"

namespace sunup::fleet {
namespace {

constexpr int64_t kGibibyte = 1024;  // in MiB
constexpr std::string_view kWhere = "enable-node-hardening";

}  // namespace

HardenedMemory hardened_memory(int64_t memory_mib, int max_pods, bool azure_cni) {
  HardenedMemory memory;
  memory.kube_reserved =
      std::min(35 * int64_t{max_pods} + std::max<int64_t>(memory_mib * 2 / 100, 250), memory_mib / 4);
  memory.system_reserved = 200 + 100 * (memory_mib / (32 * kGibibyte)) + (azure_cni ? 100 : 0);
  memory.evict_hard = memory_mib >= 32 * kGibibyte ? 512 : memory_mib > 8 * kGibibyte ? 375 : 250;
  memory.evict_soft = 2 * memory.evict_hard;
  return memory;
}

bool is_hardened(const Settings& settings) {
  return settings.flag(Option::kEnableNodeHardening) && settings.text(Option::kProvisionMode) != "bootstrappingclient";
}

HardenedMemory hardened_memory(const Settings& settings, double memory_gib, int max_pods) {
  return hardened_memory(static_cast<int64_t>(memory_gib * kGibibyte), max_pods,
                         settings.text(Option::kNetworkPlugin) == "azure");
}

void offer_hardened_flags(ValueMap& flags, const HardenedMemory& memory, int64_t kube_millicores) {
  const auto offer = [&flags](std::string_view flag, std::string value) {
    flags.offer(flag, Source::kComputed, kWhere, std::move(value));
  };
  offer("--kube-reserved",
        fmt::format("cpu={},memory={}", format_millicores(kube_millicores), format_mebibytes(memory.kube_reserved)));
  offer("--system-reserved",
        fmt::format("cpu={},ephemeral-storage={}Gi,memory={}", format_millicores(kHardenedSystemMillicores),
                    kHardenedSystemStorageGib, format_mebibytes(memory.system_reserved)));
  offer("--eviction-hard", fmt::format("memory.available<{},nodefs.available<{}%,nodefs.inodesFree<5%",
                                       format_mebibytes(memory.evict_hard), kHardenedNodefsPercent));
  offer("--eviction-soft", fmt::format("memory.available<{},nodefs.available<12%,nodefs.inodesFree<7%",
                                       format_mebibytes(memory.evict_soft)));
  offer("--eviction-soft-grace-period", "memory.available=30s,nodefs.available=2m0s,nodefs.inodesFree=2m0s");
  offer("--eviction-max-pod-grace-period", "60");
  offer("--enforce-node-allocatable", "pods,kube-reserved,system-reserved");
  // Kubelet does not start if it must enforce a reservation and does not know the cgroup.
  offer("--kube-reserved-cgroup", "/kubereserved.slice");
  offer("--system-reserved-cgroup", "/system.slice");
}

}  // namespace sunup::fleet

// The rules of kubelet's settings in NodePool v1beta1 and Provisioner.
#include <algorithm>
#include <functional>

#include "fleet/sources/conditions.h"
#include "fleet/sources/node_pool_rules.h"
#include "fleet/sources/patterns.h"

namespace sunup::fleet {
namespace {

using nlohmann::json;

bool is_eviction_signal(std::string_view text) {
  constexpr std::string_view kSignals[] = {"memory.available",  "nodefs.available",   "nodefs.inodesFree",
                                           "imagefs.available", "imagefs.inodesFree", "pid.available"};
  return std::find(std::begin(kSignals), std::end(kSignals), text) != std::end(kSignals);
}
constexpr Pattern kEvictionSignal{is_eviction_signal,
                                  "one of memory.available, nodefs.available, nodefs.inodesFree, imagefs.available, "
                                  "imagefs.inodesFree, pid.available"};
bool is_reservable(std::string_view text) {
  return text == "cpu" || text == "memory" || text == "ephemeral-storage" || text == "pid";
}
constexpr Pattern kReservable{is_reservable, "one of cpu, memory, ephemeral-storage, pid"};
constexpr Property kAmount{.shape = Shape::kQuantity, .min = 0};
constexpr Property kAddress{.pattern = &kIpAddress};

bool same_keys(const json& self, const char* a, const char* b) {
  const json left = self.value(a, json::object());
  const json right = self.value(b, json::object());
  return std::all_of(left.items().begin(), left.items().end(), [&](const auto& e) { return right.contains(e.key()); });
}

constexpr Property kPoolKubeletFields[] = {
    {.name = "clusterDNS", .shape = Shape::kList, .item = &kAddress},
    {.name = "containerRuntime"},
    {.name = "cpuCFSQuota", .shape = Shape::kBool},
    {.name = "evictionHard", .shape = Shape::kMap, .pattern = &kEvictionThreshold, .keys = &kEvictionSignal},
    {.name = "evictionSoft", .shape = Shape::kMap, .pattern = &kEvictionThreshold, .keys = &kEvictionSignal},
    {.name = "evictionSoftGracePeriod", .shape = Shape::kMap, .pattern = &kGoDuration, .keys = &kEvictionSignal},
    {.name = "evictionMaxPodGracePeriod", .shape = Shape::kInt, .min = kMinInt32, .max = kMaxInt32},
    {.name = "imageGCHighThresholdPercent", .shape = Shape::kInt, .min = 0, .max = 100},
    {.name = "imageGCLowThresholdPercent", .shape = Shape::kInt, .min = 0, .max = 100},
    {.name = "kubeReserved", .shape = Shape::kMap, .keys = &kReservable, .item = &kAmount},
    {.name = "systemReserved", .shape = Shape::kMap, .keys = &kReservable, .item = &kAmount},
    {.name = "maxPods", .shape = Shape::kInt, .min = 0, .max = kMaxInt32},
    {.name = "podsPerCore", .shape = Shape::kInt, .min = 0, .max = kMaxInt32},
};
constexpr Condition kPoolKubeletConditions[] = {
    {"imageGCHighThresholdPercent must be greater than imageGCLowThresholdPercent",
     [](const json& self) {
       return ordered(self, "imageGCLowThresholdPercent", "imageGCHighThresholdPercent", std::less<>{});
     },
     "imageGCHighThresholdPercent"},
    {"evictionSoft must have a matching evictionSoftGracePeriod",
     [](const json& self) { return same_keys(self, "evictionSoft", "evictionSoftGracePeriod"); }, "evictionSoft"},
    {"evictionSoftGracePeriod must have a matching evictionSoft",
     [](const json& self) { return same_keys(self, "evictionSoftGracePeriod", "evictionSoft"); },
     "evictionSoftGracePeriod"},
};

}  // namespace

const Object kPoolKubeletObject{.fields = kPoolKubeletFields, .conditions = kPoolKubeletConditions};

}  // namespace sunup::fleet

// Label keys: the names of common ones, those that were renamed, and those that users may not set.
#pragma once

#include <string_view>

namespace sunup::fleet {

inline constexpr std::string_view kInstanceTypeLabel = "node.kubernetes.io/instance-type";
inline constexpr std::string_view kSkuNameLabel = "karpenter.azure.com/sku-name";
inline constexpr std::string_view kCapacityTypeLabel = "karpenter.sh/capacity-type";
inline constexpr std::string_view kZoneLabel = "topology.kubernetes.io/zone";
inline constexpr std::string_view kRegionLabel = "topology.kubernetes.io/region";
inline constexpr std::string_view kPlacementScopeLabel = "karpenter.azure.com/placement-scope";

// The current name of a renamed label: kubernetes.io/arch for beta.kubernetes.io/arch.
std::string_view stable_label(std::string_view key);

// Why a pool's label (or requirement) may not have this key; empty if it may.
std::string_view restricted_label(std::string_view key);

}  // namespace sunup::fleet

// Whether a VM is placed in a zone, and in which: the label karpenter.azure.com/placement-scope is "zonal" or
// "regional", and can be required like a zone.
#pragma once

#include <string_view>

#include "base/result.h"
#include "fleet/sources/requirements.h"

namespace sunup::fleet {

inline constexpr std::string_view kPlacementScopeLabel = "karpenter.azure.com/placement-scope";

// The label value of a node in this zone, which may be empty.
constexpr std::string_view placement_scope(std::string_view zone) {
  return zone.empty() ? "regional" : "zonal";
}

// choose_zone() with the required placement: if a zone is required but not named, the first zone in which the size is
// offered is used.
Result<Choice> choose_placement(const Constraints& constraints, std::string_view location, const InstanceType& type);

}  // namespace sunup::fleet

// Whether a VM is placed in a zone, and in which: label karpenter.azure.com/placement-scope says "zonal" or "regional",
// and may be asked for as a zone may.
#pragma once

#include <string_view>

#include "base/result.h"
#include "fleet/requirements.h"

namespace sunup::fleet {

inline constexpr std::string_view kPlacementScopeLabel = "karpenter.azure.com/placement-scope";

// Of a node in this zone, which may be empty.
constexpr std::string_view placement_scope(std::string_view zone) {
  return zone.empty() ? "regional" : "zonal";
}

// choose_zone(), held against the placement that is asked for: who wants a zone without naming any gets the first one
// that the size is known to be offered in.
Result<Choice> choose_placement(const Constraints& constraints, std::string_view location, const InstanceType& type);

}  // namespace sunup::fleet

// Drift: has what a node was made from moved away from what a node would be made from today? Compared field by field,
// with a reason for each, and whether it takes a new node.
//
// "Was" is a launch template, or what a live node shows of itself (its Node and NodeClaim objects), in which case only
// what it shows is compared.
#pragma once

#include <nlohmann/json.hpp>

#include "base/result.h"
#include "fleet/drift_report.h"

namespace sunup::fleet {

Result<DriftReport> compare_drift(const nlohmann::json& was, const nlohmann::json& is);

}  // namespace sunup::fleet

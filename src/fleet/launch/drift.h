// Drift: the difference between a node and the current launch template, field by field, with a reason for each
// difference and whether a new node is needed.
//
// "Was" is a launch template, or the state of a live node (its Node and NodeClaim objects), of which only the existing
// parts are compared.
#pragma once

#include <nlohmann/json.hpp>

#include "base/result.h"
#include "fleet/launch/drift_report.h"

namespace sunup::fleet {

Result<DriftReport> compare_drift(const nlohmann::json& was, const nlohmann::json& is);

// Whether these image IDs have the same gallery, family, kind (FIPS, trusted launch) and version. A class has a list of
// images, one for each architecture and generation. A node that uses any of them is up to date, even if the next node
// would use another one.
bool of_one_release(std::string_view image_id, std::string_view other);

}  // namespace sunup::fleet

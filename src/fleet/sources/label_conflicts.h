// Labels and requirements that contradict each other. A label is also a requirement: no node can satisfy a pool with
// the label team: web and the requirement team In [db].
#pragma once

#include <optional>
#include <string>

#include "base/result.h"
#include "fleet/sources/crd_rules.h"
#include "fleet/sources/document.h"
#include "fleet/sources/node_pool.h"

namespace sunup::fleet {

// For a claim and its pool, which may be null; a label of the claim replaces that of the pool.
std::optional<Error> refuse_label_conflict(const NodeClaim& claim, const NodePool* pool);

// The same within one object, with its position in the document.
void check_label_conflicts(const nlohmann::json& labels, const std::vector<Requirement>& requirements,
                           const std::string& requirements_path, const Document& doc, Findings& findings);

}  // namespace sunup::fleet

// Labels and requirements that contradict each other. A label is a requirement too: a pool whose label says team: web
// and whose requirement says team In [db] has no node that is both.
#pragma once

#include <optional>
#include <string>

#include "base/result.h"
#include "fleet/document.h"
#include "fleet/node_pool.h"
#include "fleet/schema.h"

namespace sunup::fleet {

// Of a node's claim and its pool, which may be null; the claim's word about a label stands in place of the pool's.
std::optional<Error> refuse_label_conflict(const NodeClaim& claim, const NodePool* pool);

// The same within one object, with its place in the document.
void check_label_conflicts(const nlohmann::json& labels, const std::vector<Requirement>& requirements,
                           const std::string& requirements_path, const Document& doc, Findings& findings);

}  // namespace sunup::fleet

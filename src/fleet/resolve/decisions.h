// Compares the decisions about a node with the requirements of its claim and pool, so a node never has a label that
// does not apply.
#pragma once

#include <optional>

#include "base/result.h"
#include "fleet/resolve/resolution.h"
#include "fleet/sources/requirements.h"

namespace sunup::fleet {

// The first decision that a constraint does not allow. Size, zone and capacity type are not compared, because they were
// chosen by the constraints.
std::optional<Error> check_decisions(const Resolution& node, const Constraints& constraints);

}  // namespace sunup::fleet

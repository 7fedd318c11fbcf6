// What was decided about a node, held against what its claim and pool ask for: nobody gets a node that says it is what
// it is not.
#pragma once

#include <optional>

#include "base/result.h"
#include "fleet/requirements.h"
#include "fleet/resolution.h"

namespace sunup::fleet {

// The first decision that a constraint does not allow; sizes, zones and capacity types were chosen by them already.
std::optional<Error> check_decisions(const Resolution& node, const Constraints& constraints);

}  // namespace sunup::fleet

// Which instance type a claim's node is made of.
#pragma once

#include <vector>

#include "base/result.h"
#include "fleet/instance_type.h"
#include "fleet/node_class.h"
#include "fleet/node_pool.h"

namespace sunup::fleet {

// The first of `types` that meets the claim's requirements and what its class asks of a machine; the Error says why
// none does.
Result<const InstanceType*> choose_instance_type(const NodeClaim& claim, const NodeClass& node_class,
                                                 const std::vector<const InstanceType*>& types);

}  // namespace sunup::fleet

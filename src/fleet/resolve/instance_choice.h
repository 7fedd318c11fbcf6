// Selects the instance type for a claim.
#pragma once

#include <vector>

#include "base/result.h"
#include "fleet/resolve/constraints.h"
#include "fleet/sources/instance_type.h"
#include "fleet/sources/node_class.h"
#include "fleet/sources/node_pool.h"
#include "fleet/sources/settings.h"

namespace sunup::fleet {

class Resolver;

struct ChoiceInputs {
  const NodeClaim* claim = nullptr;
  const NodePool* pool = nullptr;  // may be null
  const NodeClass* node_class = nullptr;
  const Settings* settings = nullptr;
  const Constraints* constraints = nullptr;  // of claim and pool
  const Resolver* resolver = nullptr;        // to check that there is an image for a size; may be null
};

// The first of `types` that meets the requirements, has enough resources for the claim's pods and supports the features
// of its class; the Error contains why none does.
Result<const InstanceType*> choose_instance_type(const ChoiceInputs& in, const std::vector<const InstanceType*>& types);

}  // namespace sunup::fleet

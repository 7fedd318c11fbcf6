// Which instance type a claim's node is made of.
#pragma once

#include <vector>

#include "base/result.h"
#include "fleet/instance_type.h"
#include "fleet/node_class.h"
#include "fleet/node_pool.h"
#include "fleet/requirements.h"
#include "fleet/settings.h"

namespace sunup::fleet {

class Resolver;

struct ChoiceInputs {
  const NodeClaim* claim = nullptr;
  const NodePool* pool = nullptr;  // may be null
  const NodeClass* node_class = nullptr;
  const Settings* settings = nullptr;
  const Constraints* constraints = nullptr;  // of claim and pool
  const Resolver* resolver = nullptr;        // knows which sizes there are images for; may be null
};

// The first of `types` that meets the requirements, has room for what the claim's pods ask for and can be what its
// class asks of a machine; the Error says why none does.
Result<const InstanceType*> choose_instance_type(const ChoiceInputs& in, const std::vector<const InstanceType*>& types);

}  // namespace sunup::fleet

// The rules of NodePool and NodeClaim (karpenter.sh/v1 and v1beta1) and of the older Provisioner, as tables for
// fleet/sources/crd_rules.h.
#pragma once

#include "fleet/sources/crd_rules.h"

namespace sunup::fleet {

extern const Object kNodePoolObject;
extern const Object kBetaNodePoolObject;
extern const Object kNodeClaimObject;
extern const Object kProvisionerObject;
extern const Object kPoolKubeletObject;  // part of the older ones

}  // namespace sunup::fleet

// The rules of AKSNodeClass (karpenter.azure.com/v1beta1, and v1alpha2 which has one more field) and of the older
// NodeTemplate, as tables for fleet/sources/crd_rules.h.
#pragma once

#include "fleet/sources/crd_rules.h"

namespace sunup::fleet {

extern const Object kNodeClassObject;
extern const Object kAlphaNodeClassObject;
extern const Object kNodeTemplateObject;
extern const Object kLinuxOsConfigObject;  // part of the first

}  // namespace sunup::fleet

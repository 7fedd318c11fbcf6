// The rules of AKSNodeClass (karpenter.azure.com/v1beta1, and v1alpha2 which has one field more) and of the older
// NodeTemplate, as tables for fleet/schema.h.
#pragma once

#include "fleet/sources/schema.h"

namespace sunup::fleet {

extern const Object kNodeClassObject;
extern const Object kAlphaNodeClassObject;
extern const Object kNodeTemplateObject;
extern const Object kLinuxOsConfigObject;  // a part of the first

}  // namespace sunup::fleet

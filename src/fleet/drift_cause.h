// What a field of a node follows from. Whether it has drifted shows in the cause and not in the field: a subnet, say,
// that comes from the class is drift when the class's hash has moved, and one that comes from the cluster's settings
// never is.
#pragma once

#include <string_view>

#include "fleet/drift_report.h"

namespace sunup::fleet {

enum class DriftCause { kNodePool, kRequirements, kNodeClass, kVersion, kIdentity, kImage, kInPlace, kNextNode };

std::string_view drift_reason(DriftCause cause);  // as controllers name it
DriftAction drift_action(DriftCause cause);

// By the name that drift_state.h gives the field.
DriftCause drift_cause(std::string_view field);
// An AKSNodeConfig's paths, judged as the variables that say the same.
DriftCause config_drift_cause(std::string_view path);

}  // namespace sunup::fleet

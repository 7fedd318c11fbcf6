// The source of a field of a node. Whether a field has drifted depends on its source: a subnet of the class has drifted
// if the class's hash has changed, and a subnet of the cluster's settings never has.
#pragma once

#include <string_view>

#include "fleet/launch/drift_report.h"

namespace sunup::fleet {

enum class DriftCause {
  kNodePool,
  kRequirements,
  kNodeClass,
  kVersion,
  kIdentity,
  kImage,
  kClusterConfig,
  kInPlace,
  kNextNode
};

std::string_view drift_reason(DriftCause cause);  // as controllers name it
DriftAction drift_action(DriftCause cause);

// By the name of the field in drift_state.h.
DriftCause drift_cause(std::string_view field);
// For a path of an AKSNodeConfig, the cause of the corresponding variable.
DriftCause config_drift_cause(std::string_view path);

}  // namespace sunup::fleet

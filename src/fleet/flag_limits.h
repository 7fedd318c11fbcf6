// What kubelet does not start with, and what no node can be, looked for in its flags as they came out of all sources:
// each source by itself may be right, and the default of one beside the word of another is not.
#pragma once

#include <optional>

#include "base/result.h"
#include "fleet/provenance.h"

namespace sunup::fleet {

// The largest number of pods that AKS runs on a node. Where Azure's CNI has no overlay, each is an address of the NIC.
inline constexpr int kMaxPods = 250;

// Names the flags and who set them.
std::optional<Error> refuse_impossible_flags(const ValueMap& flags);

}  // namespace sunup::fleet

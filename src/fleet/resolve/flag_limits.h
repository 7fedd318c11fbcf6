// Checks the final kubelet flags for combinations with which kubelet does not start: each source may be valid by
// itself, but not the default of one together with the value of another.
#pragma once

#include <optional>

#include "base/result.h"
#include "fleet/sources/provenance.h"

namespace sunup::fleet {

// The maximum number of pods on an AKS node. With Azure CNI without overlay, each uses an address of the NIC.
inline constexpr int kMaxPods = 250;

// The error names the flags and their sources.
std::optional<Error> refuse_impossible_flags(const ValueMap& flags);

}  // namespace sunup::fleet

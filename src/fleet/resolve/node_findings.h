// Findings about valid settings that do not reach the node: a warning if the setting has no effect, a note if nothing
// is lost.
#pragma once

#include "fleet/resolve/resolution.h"
#include "fleet/sources/crd_rules.h"
#include "fleet/sources/settings.h"

namespace sunup::fleet {

// Adds to the findings of the kind.
void warn_of_kind(NodeKind& kind, const Detected& detected);

// Whether local DNS runs: it does when it is required. "Preferred" waits for a Kubernetes version that does not exist.
bool local_dns_enabled(const NodeClass& node_class, const ImageFamily& family, Findings& findings);

}  // namespace sunup::fleet

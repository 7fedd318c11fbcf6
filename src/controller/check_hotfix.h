// `check-hotfix`: finds out which hotfix this node should have and leaves the pointer for download-hotfix. Never fails
// the boot: whatever happens is an event, and the exit code is 0.
//
// Asking the cluster's live patching service (gRPC over TLS) is not built in yet: the pointer comes from the node
// config that the custom data brought, as it does in the original for a node that cannot reach the service.
#pragma once

#include "controller/node.h"

namespace sunup::controller {

void check_hotfix(Node& node);

}  // namespace sunup::controller

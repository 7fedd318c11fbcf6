// `check-hotfix`: determines which hotfix this node should have and writes the pointer for download-hotfix. It never
// fails the boot: a failure is an event, and the exit code is 0.
//
// The cluster's live patching service (gRPC over TLS) is not supported yet. The pointer comes from the node config in
// the custom data, as in the original for a node that cannot reach the service.
#pragma once

#include "controller/node.h"

namespace sunup::controller {

void check_hotfix(Node& node);

}  // namespace sunup::controller

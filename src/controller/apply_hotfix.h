// The two scripts hotfixes of a node: the one that came with its custom data, and the one inside the package of a
// program hotfix. Both are lists of files (node_custom_data.h) and are applied as a whole or not at all. That one
// cannot be applied is logged; nothing else depends on it.
#pragma once

#include "controller/node.h"

namespace sunup::controller {

// /opt/azure/containers/nodecustomdata.yml, if the pointer file requests scripts newer than this program. False: it
// could not be applied.
bool apply_scripts_hotfix(Node& node);

// The list in the package, for this distribution: none for images whose system is read-only (Flatcar, ACL, OSGuard). It
// is kept as /opt/azure/containers/embedded-nodecustomdata.yml. The entry script of the image, which may be running, is
// not replaced. False: it could not be applied.
bool apply_embedded_hotfix(Node& node);

}  // namespace sunup::controller

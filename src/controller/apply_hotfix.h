// The two scripts hotfixes of a node: the one that came with its custom data, and the one inside the package of a
// program hotfix. Both are lists of files (node_custom_data.h) and are applied as a whole or not at all. If one cannot
// be applied, this is logged; nothing else depends on it.
#pragma once

#include "controller/node.h"

namespace sunup::controller {

// Applies /opt/azure/containers/nodecustomdata.yml if the pointer file requests scripts newer than this program.
// Returns false if it could not be applied.
bool apply_scripts_hotfix(Node& node);

// Applies the list in the package for this distribution: none for images whose system is read-only (Flatcar, ACL,
// OSGuard). It is kept as /opt/azure/containers/embedded-nodecustomdata.yml. The entry script of the image, which may
// be running, is not replaced. Returns false if the list could not be applied.
bool apply_embedded_hotfix(Node& node);

}  // namespace sunup::controller

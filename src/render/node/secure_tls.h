// Secure TLS bootstrapping: a client of its own gets kubelet's credentials from the cluster, attested by the platform.
// Its unit is in the image; these files tell it what to do and tie it to kubelet's start.
#pragma once

#include "base/result.h"
#include "render/node/facts.h"
#include "render/node/node_file.h"

namespace sunup::render::node {

// Nothing unless the config asks for it.
Result<NodeFiles> secure_tls_files(const Configuration& config, const NodeFacts& facts);

}  // namespace sunup::render::node

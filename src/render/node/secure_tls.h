// Secure TLS bootstrapping: a separate client obtains kubelet's credentials from the cluster, attested by the platform.
// The client's unit is part of the image; these files configure it and make kubelet's start depend on it.
#pragma once

#include "base/result.h"
#include "render/node/facts.h"
#include "render/node/node_file.h"

namespace sunup::render::node {

// Empty unless the config requests it.
Result<NodeFiles> secure_tls_files(const Configuration& config, const NodeFacts& facts);

}  // namespace sunup::render::node

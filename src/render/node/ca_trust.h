// Additional certificate authorities: the HTTP proxy's and the customer's own. They must be in place, and the system's
// bundle rebuilt, before containerd starts: programs in Go read it once.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "render/node/facts.h"
#include "render/node/node_file.h"

namespace sunup::render::node {

// Nothing unless the config brings certificates. Exit code 161 when one does not decode.
Result<NodeFiles> ca_trust_files(const Configuration& config, const NodeFacts& facts);

// The program that rebuilds the bundle; empty when there is nothing to rebuild for.
std::vector<std::string> ca_update_command(const Configuration& config, const NodeFacts& facts);

// Of the names in the distribution's folder for custom certificates: the ones that an earlier set left behind.
std::vector<std::string> stale_custom_certificates(const std::vector<std::string>& names, const Configuration& config,
                                                   const NodeFacts& facts);

}  // namespace sunup::render::node

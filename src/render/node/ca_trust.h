// Additional certificate authorities: the HTTP proxy's and the customer's own. They must be installed, and the system's
// bundle rebuilt, before containerd starts, because Go programs read the bundle only once.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "render/node/facts.h"
#include "render/node/node_file.h"

namespace sunup::render::node {

// Empty unless the config contains certificates. Exit code 161 if one cannot be decoded.
Result<NodeFiles> ca_trust_files(const Configuration& config, const NodeFacts& facts);

// The program that rebuilds the bundle; empty if the bundle does not change.
std::vector<std::string> ca_update_command(const Configuration& config, const NodeFacts& facts);

// The names in the distribution's directory for custom certificates that an earlier set of certificates has left there.
std::vector<std::string> stale_custom_certificates(const std::vector<std::string>& names, const Configuration& config,
                                                   const NodeFacts& facts);

}  // namespace sunup::render::node

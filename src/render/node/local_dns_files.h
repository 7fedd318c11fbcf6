// The node-local DNS cache: its server's configuration, its limits, and the timer that refreshes critical names. Units
// and programs are part of the image; without them nothing is configured, which is not an error.
#pragma once

#include <string>
#include <vector>

#include "base/node_paths.h"
#include "base/result.h"
#include "render/node/facts.h"
#include "render/node/node_file.h"

namespace sunup::render::node {

// Its mode matters too: the scripts skip it if it is not executable.
inline constexpr auto& kHostsSetup = paths::kLocalDnsHostsSetup;

bool wants_local_dns(const Configuration& config, const NodeFacts& facts);  // requested, and part of the image
bool wants_dns_hosts_timer(const Configuration& config, const NodeFacts& facts);
bool has_local_dns_exporter(const Configuration& config, const NodeFacts& facts);

// Exit code 216 if the config contains nothing to serve.
Result<NodeFiles> local_dns_files(const Configuration& config, const NodeFacts& facts);

// Files of the image or of an earlier config that would enable the hosts plugin.
std::vector<std::string> stale_local_dns_files(const Configuration& config, const NodeFacts& facts);

// Restricts the metrics to the node's own address, once that is known.
Result<NodeFiles> local_dns_exporter_files(const Configuration& config, const NodeFacts& facts);

}  // namespace sunup::render::node

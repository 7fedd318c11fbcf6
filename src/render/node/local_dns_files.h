// The node-local DNS cache: its server's configuration, its limits, and the timer that keeps critical names at hand.
// Units and programs are the image's; without them there is nothing to configure, and that is fine.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "render/node/facts.h"
#include "render/node/node_file.h"

namespace sunup::render::node {

// Its mode counts, too: the scripts go without it if it cannot be executed.
inline constexpr char kHostsSetup[] = "/opt/azure/containers/aks-localdns-hosts-setup.sh";

inline constexpr char kLocalDnsScript[] = "/opt/azure/containers/localdns/localdns.sh";

bool wants_local_dns(const Configuration& config, const NodeFacts& facts);  // asked for, and in the image
bool wants_dns_hosts_timer(const Configuration& config, const NodeFacts& facts);
bool has_local_dns_exporter(const Configuration& config, const NodeFacts& facts);

// Exit code 216 when there is nothing to serve.
Result<NodeFiles> local_dns_files(const Configuration& config, const NodeFacts& facts);

// What an image or an earlier config left behind that would switch the hosts plugin on.
std::vector<std::string> stale_local_dns_files(const Configuration& config, const NodeFacts& facts);

// Metrics on the node's own address only, once that is known.
Result<NodeFiles> local_dns_exporter_files(const Configuration& config, const NodeFacts& facts);

}  // namespace sunup::render::node

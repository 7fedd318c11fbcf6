// Network configuration that provisioning adds: search domains from DHCP, and the network cards after the first.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "render/node/facts.h"
#include "render/node/node_file.h"

namespace sunup::render::node {

// /etc/systemd/networkd.conf with "#UseDomains=no" replaced by "UseDomains=yes" in [DHCPv4] and, for dual stack, in
// [DHCPv6].
std::string with_dhcp_domains(std::string_view networkd_conf, bool dual_stack);

// The edited networkd.conf on distributions whose image disables search domains; empty if there is nothing to edit.
Result<NodeFiles> dhcp_domain_files(const Configuration& config, const NodeFacts& facts);

// One file for each network card after the first, if the config has a card count. Exit code 243 without usable
// metadata.
Result<NodeFiles> secondary_nic_files(const Configuration& config, const NodeFacts& facts);

}  // namespace sunup::render::node

// The firewall rules that block pods from the host's own services: the wire server always, the metadata service if the
// config requests it. Rules do not survive a reboot, so they are verified before every start of kubelet.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace sunup::render::node {

struct MetadataRestriction {
  bool enabled = false;
  bool in_mangle_table = false;  // for data planes that bypass the filter table's FORWARD chain
  std::string primary_ip;        // the only address from which forwarding is still allowed
};

// The input for `iptables-restore --noflush` that establishes the rules; empty if they already exist. `saved` is the
// output of `iptables-save`. A restriction without a primary address is an error, because nothing may start with
// partial protection.
Result<std::string> firewall_changes(std::string_view saved, const MetadataRestriction& restriction);

}  // namespace sunup::render::node

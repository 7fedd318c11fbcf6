// The firewall rules that keep pods away from the host's own services: the wire server always, the metadata service if
// the config says so. Rules do not survive a reboot, so they are made sure of before every start of kubelet.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace sunup::render::node {

struct MetadataRestriction {
  bool enabled = false;
  bool in_mangle_table = false;  // for data planes that bypass the filter table's FORWARD chain
  std::string primary_ip;        // the only address that may still be forwarded from
};

// What `iptables-restore --noflush` must be fed so that the rules are as wanted; empty when they are. `saved` is what
// `iptables-save` printed. A restriction without a primary address is an error: nothing may start half protected.
Result<std::string> firewall_changes(std::string_view saved, const MetadataRestriction& restriction);

}  // namespace sunup::render::node

// Kubenet: the CNI configuration template in which containerd inserts the node's pod ranges, and when it is used.
#pragma once

#include <string_view>

#include "aksnodeconfig/v1/configuration.pb.h"

namespace sunup::render {

// Whether the bridge cbr0 is in promiscuous mode and therefore needs protection against duplicate packets: kubenet,
// unless Calico enforces policies.
bool needs_kubenet_bridge(const aksnodeconfig::v1::NetworkConfig& network);

// Constant. It is a Go template: containerd evaluates the {{...}} (conf_template).
std::string_view kubenet_template();

}  // namespace sunup::render

// Kubenet: the CNI configuration template that containerd fills in with the node's pod ranges, and when it is used.
#pragma once

#include <string_view>

#include "aksnodeconfig/v1/configuration.pb.h"

namespace sunup::render {

// Whether the bridge cbr0 is in promiscuous mode and must not duplicate packets: kubenet, unless Calico enforces
// policies.
bool needs_kubenet_bridge(const aksnodeconfig::v1::NetworkConfig& network);

// Always the same. It is a Go template: the {{...}} are for containerd (conf_template).
std::string_view kubenet_template();

}  // namespace sunup::render

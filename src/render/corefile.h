// The Corefile of the node-local DNS cache: one server block for each domain the config overrides, once on the address
// that the node's own resolver uses, once on the one that pods use.
#pragma once

#include <cstdint>
#include <string>

#include "aksnodeconfig/v1/configuration.pb.h"

namespace sunup::render {

enum class HostsPlugin : uint8_t { kYes, kNo };  // answer critical names from /etc/localdns/hosts

// Which names are the cluster's own. kAnySuffix: "mycluster.local" has always counted as one in the environment.
enum class ClusterNames : uint8_t { kAnySuffix, kWholeLabels };

// Empty unless local DNS is enabled. Both variants are made whatever the config says about the hosts plugin: the node
// switches between them at run time.
std::string local_dns_corefile(const aksnodeconfig::v1::Configuration& config, HostsPlugin hosts,
                               ClusterNames names = ClusterNames::kAnySuffix);

}  // namespace sunup::render

// The node-local DNS cache: its Corefile, limits and critical names.
#pragma once

#include <cstdint>
#include <string>

#include "aksnodeconfig/v1/configuration.pb.h"

namespace sunup::render {

enum class HostsPlugin : uint8_t { kYes, kNo };  // whether critical names are answered from /etc/localdns/hosts

// Which names belong to the cluster. kAnySuffix: any name that ends with "cluster.local", such as "mycluster.local", as
// in the environment.
enum class ClusterNames : uint8_t { kAnySuffix, kWholeLabels };

// The Corefile: one server block for each domain that the config overrides, once on the address for the node's resolver
// and once on the address for pods. Empty unless local DNS is enabled. Both variants are rendered regardless of the
// hosts plugin setting, because the node switches between them at run time.
std::string local_dns_corefile(const aksnodeconfig::v1::Configuration& config, HostsPlugin hosts,
                               ClusterNames names = ClusterNames::kAnySuffix);

std::string local_dns_cpu_limit(const aksnodeconfig::v1::LocalDnsProfile& profile);     // "200.0%": of one core
std::string local_dns_memory_limit(const aksnodeconfig::v1::LocalDnsProfile& profile);  // "128M"

// Trimmed, non-empty names, joined by commas, even if local DNS is disabled.
std::string local_dns_critical_names(const aksnodeconfig::v1::LocalDnsProfile& profile);

}  // namespace sunup::render

// The formats that Kubernetes and Azure accept for names, with their descriptions for messages. They are functions
// instead of regular expressions, because a batch checks millions of keys.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "contract/formats.h"
#include "contract/kubelet_flag_values.h"
#include "fleet/sources/crd_rules.h"

namespace sunup::fleet {

bool is_qualified_name(std::string_view text);   // "example.com/name" or "name"
bool is_log_size(std::string_view text);         // digits and one of E P T G M K Ei Pi Ti Gi Mi Ki
bool is_simple_duration(std::string_view text);  // one or more of digits + s, m or h
bool is_subnet_id(std::string_view text);        // the Azure resource ID of a subnet, case-insensitive
bool is_dns_zone(std::string_view text);         // "." or a DNS name, optionally with the final dot
bool is_sysctl(std::string_view text);           // the name of a kernel setting; a final * matches the rest of the name
bool is_object_name(std::string_view text);      // a valid metadata.name: a DNS subdomain in lower case

inline constexpr Pattern kLabelValue{contract::is_label_value,
                                     "^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?$, at most 63 long"};
inline constexpr Pattern kQualifiedName{is_qualified_name, "a qualified name, such as example.com/team"};
inline constexpr Pattern kLogSize{is_log_size, "^\\d+(E|P|T|G|M|K|Ei|Pi|Ti|Gi|Mi|Ki)$"};
inline constexpr Pattern kSimpleDuration{is_simple_duration, "^([0-9]+(s|m|h))+$"};
inline constexpr Pattern kGoDuration{contract::is_go_duration, "a duration, such as 100ms"};
inline constexpr Pattern kSubnetId{is_subnet_id,
                                   "/subscriptions/{subscription}/resourceGroups/{group}/providers/Microsoft.Network/"
                                   "virtualNetworks/{vnet}/subnets/{subnet}"};
inline constexpr Pattern kObjectName{is_object_name,
                                     "a DNS subdomain (RFC 1123): lower-case letters, digits, '-', '.'"};
inline constexpr Pattern kIpAddress{contract::is_ip, "an IP address"};
inline constexpr Pattern kSysctl{is_sysctl, "the name of a kernel setting, such as net.core.somaxconn or net.*"};
inline constexpr Pattern kEvictionThreshold{contract::is_eviction_threshold,
                                            "a positive quantity such as 500Mi, or a percentage of 0% to 100%"};
inline constexpr Pattern kDnsZone{is_dns_zone, "'.' or a DNS name"};

// The parts of a subnet's resource ID that nodes need.
struct SubnetId {
  std::string subscription;
  std::string resource_group;
  std::string vnet;
  std::string subnet;
};
std::optional<SubnetId> parse_subnet_id(std::string_view text);

// Whether AKS created this network for the cluster. Such a network is in the resource group of the nodes and its name
// contains the cluster ID.
bool is_managed_network(const SubnetId& subnet, std::string_view node_resource_group);

}  // namespace sunup::fleet

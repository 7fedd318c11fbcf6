// The eight digits that name a cluster's network resources (aks-agentpool-46593302-nsg ...).
//
// There are two ways to determine them. `cluster_id` hashes a DNS prefix, as AKS does when it creates the cluster.
// `cluster_id_from_nsg` reads them from the network security group's name, which also works if the prefix is unknown
// (private clusters with a custom subdomain hash the empty string).
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace sunup::fleet {

// The ID of a DNS prefix: FNV-1a 64 seeds a pseudo-random generator, whose first 32-bit value gives the digits.
std::string cluster_id(std::string_view dns_prefix);

// The ID of an API server: of the first 33 bytes of its host name, the length of a DNS prefix in AKS.
std::string cluster_id_of_host(std::string_view host);

// The same for user input: a host name or a URL, of which the host is used. The bytes are used as they are, including
// their case; an invalid host name is refused.
Result<std::string> cluster_id_of(std::string_view name_or_url);

// "46593302" from "aks-agentpool-46593302-nsg", case-insensitive; empty for other names.
std::optional<std::string> cluster_id_from_nsg(std::string_view name);

}  // namespace sunup::fleet

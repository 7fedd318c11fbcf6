// Limits and critical names of the node-local DNS cache.
#pragma once

#include <string>

#include "aksnodeconfig/v1/configuration.pb.h"

namespace sunup::render {

std::string local_dns_cpu_limit(const aksnodeconfig::v1::LocalDnsProfile& profile);     // "200.0%": of one core
std::string local_dns_memory_limit(const aksnodeconfig::v1::LocalDnsProfile& profile);  // "128M"

// Trimmed, non-empty names, joined by commas, even if local DNS is disabled.
std::string local_dns_critical_names(const aksnodeconfig::v1::LocalDnsProfile& profile);

}  // namespace sunup::render

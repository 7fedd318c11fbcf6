// The small values of the node-local DNS cache: what it may use, which names it must always know.
#pragma once

#include <string>

#include "aksnodeconfig/v1/configuration.pb.h"

namespace sunup::render {

std::string local_dns_cpu_limit(const aksnodeconfig::v1::LocalDnsProfile& profile);     // "200.0%": of one core
std::string local_dns_memory_limit(const aksnodeconfig::v1::LocalDnsProfile& profile);  // "128M"

// Names without white space around them, without empty ones, joined by commas; also with local DNS disabled.
std::string local_dns_critical_names(const aksnodeconfig::v1::LocalDnsProfile& profile);

}  // namespace sunup::render

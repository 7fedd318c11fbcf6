// A custom search domain of the customer, and the realm (Active Directory) that the node joins with it.
#pragma once

#include <string>

#include "base/result.h"
#include "render/node/facts.h"
#include "render/node/node_file.h"

namespace sunup::render::node {

// True if the config has the domain, an account and its password. An incomplete set is ignored.
bool has_search_domain(const Configuration& config);

// "CORP.EXAMPLE": the name of a realm is its domain in capitals.
std::string realm_of(const Configuration& config);

// /etc/network/interfaces.d/50-cloud-init.cfg with the domain appended once. Exit code 80 for an invalid name.
Result<NodeFiles> search_domain_files(const Configuration& config, const NodeFacts& facts);

}  // namespace sunup::render::node

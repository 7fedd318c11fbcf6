// A search domain of the customer's own, and the realm (Active Directory) that the node joins with it.
#pragma once

#include <string>

#include "base/result.h"
#include "render/node/facts.h"
#include "render/node/node_file.h"

namespace sunup::render::node {

// The domain, an account and its password, or nothing: parts of it are of no use.
bool has_search_domain(const Configuration& config);

// "CORP.EXAMPLE": realms are known by the domain's name in capitals.
std::string realm_of(const Configuration& config);

// /etc/network/interfaces.d/50-cloud-init.cfg with the domain at its end, once. Exit code 80 for a name that is none.
Result<NodeFiles> search_domain_files(const Configuration& config, const NodeFacts& facts);

}  // namespace sunup::render::node

// A node image's component list (/opt/azure/components.json): which version of the credential provider belongs to it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "render/node/facts.h"

namespace sunup::render::node {

// What the list says of the credential provider's package for this distribution; for any, if it names none for this
// one. Empty: nothing.
std::vector<std::string> credential_provider_versions(std::string_view components_json, const NodeFacts& facts);

// Of these the cluster's minor version, else the highest; without the revision.
std::string credential_provider_version(const std::vector<std::string>& versions, std::string_view kubernetes_version);

}  // namespace sunup::render::node

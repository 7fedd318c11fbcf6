// A node image's component list (/opt/azure/components.json): which version of the credential provider the image uses.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "render/node/facts.h"

namespace sunup::render::node {

// The versions that the list has for the credential provider's package of this distribution. If it has none for this
// distribution, those of all distributions. May be empty.
std::vector<std::string> credential_provider_versions(std::string_view components_json, const NodeFacts& facts);

// The version among these that matches the cluster's minor version, or else the highest; without the revision.
std::string credential_provider_version(const std::vector<std::string>& versions, std::string_view kubernetes_version);

}  // namespace sunup::render::node

// The cloud provider's config, /etc/kubernetes/azure.json, and the description of a custom cloud next to it.
#pragma once

#include <string>

#include "base/result.h"
#include "render/node/facts.h"
#include "render/node/node_file.h"

namespace sunup::render::node {

// Members in the order that other readers of the file have always seen. Holds the service principal's secret.
Result<NodeFile> azure_json(const Configuration& config, const NodeFacts& facts);

// Where a custom cloud is described; empty outside one.
std::string cloud_environment_path(const Configuration& config);

// azure.json, and in a custom cloud its environment: JSON as it stands in the config, or the same in base64.
Result<NodeFiles> cloud_files(const Configuration& config, const NodeFacts& facts);

}  // namespace sunup::render::node

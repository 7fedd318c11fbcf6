// The cloud provider's config, /etc/kubernetes/azure.json, and the description of a custom cloud next to it.
#pragma once

#include <string>

#include "base/result.h"
#include "render/node/facts.h"
#include "render/node/node_file.h"

namespace sunup::render::node {

// The order of the members is the one that other readers of the file expect. Contains the service principal's secret.
Result<NodeFile> azure_json(const Configuration& config, const NodeFacts& facts);

// The path of a custom cloud's description; empty in other clouds.
std::string cloud_environment_path(const Configuration& config);

// azure.json and, in a custom cloud, its environment. The config contains the environment as JSON or as base64 of it.
Result<NodeFiles> cloud_files(const Configuration& config, const NodeFacts& facts);

}  // namespace sunup::render::node

// What native provisioning refuses in a config on any machine. It follows from the config alone, so it can be reported
// before a node is created.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "render/node/facts.h"
#include "render/node/node_file.h"

namespace sunup::render::node {

// A current image that has everything that provisioning uses, on a machine with one address. Configs are checked
// against it if nothing is known about their node.
NodeFacts typical_node(Distro distro = Distro::kUbuntu2204);

struct Refusal {
  std::string field;  // the field that the error is about, "http_proxy_config"; empty if unknown
  Error error;
};
std::vector<Refusal> refusals(const Configuration& config);

}  // namespace sunup::render::node

// What native provisioning refuses of a config whatever the machine: known from the config alone, and better before
// there is a node than after.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "render/node/facts.h"
#include "render/node/node_file.h"

namespace sunup::render::node {

// A current image that has everything that provisioning uses, on a machine with one address: what a config is tried on
// when nothing is known about its node.
NodeFacts typical_node(Distro distro = Distro::kUbuntu2204);

struct Refusal {
  std::string field;  // that the error is about, "http_proxy_config"; empty: it does not say
  Error error;
};
std::vector<Refusal> refusals(const Configuration& config);

}  // namespace sunup::render::node

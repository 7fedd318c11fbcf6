// What native provisioning refuses of a config whatever the machine: known from the config alone, and better before
// there is a node than after.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "render/node/facts.h"
#include "render/node/node_file.h"

namespace sunup::render::node {

// An image of today that has all that provisioning uses, on a machine with one address: what a config is tried on when
// nothing is known of its node.
NodeFacts typical_node();

struct Refusal {
  std::string field;  // that the error is about, "http_proxy_config"; empty: it does not say
  Error error;
};
std::vector<Refusal> refusals(const Configuration& config);

}  // namespace sunup::render::node

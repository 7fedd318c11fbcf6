// What a NodeConfig of the public API is made of.
#pragma once

#include <sunup/node_config.h>

#include <vector>

#include "contract/load.h"

namespace sunup {

struct NodeConfig::Content {
  contract::Configuration config;
  contract::Places places;
  std::vector<Remark> tolerated;
};

}  // namespace sunup

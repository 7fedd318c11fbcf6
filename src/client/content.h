// The content of a NodeConfig of the public API.
#pragma once

#include <sunup/node_config.h>

#include <string>
#include <vector>

#include "contract/load.h"

namespace sunup {

struct NodeConfig::Content {
  contract::Configuration config;
  contract::Places places;
  contract::UnknownMembers unknown;
  std::string text;  // as it was given
  std::vector<Remark> tolerated;
};

}  // namespace sunup

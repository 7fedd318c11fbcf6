// The files that custom data writes on a node: paths::kNodeConfig and paths::kFeatures.
#pragma once

#include <string>

#include "base/node_paths.h"

namespace sunup::render {

struct NodeFiles {
  std::string config_json;
  std::string features;  // empty: there is no features file

  bool operator==(const NodeFiles&) const = default;
};

}  // namespace sunup::render

// The files that custom data writes on a node: paths::kNodeConfig, paths::kFeatures and paths::kResultService.
#pragma once

#include <string>

#include "base/node_paths.h"

namespace sunup::render {

struct NodeFiles {
  std::string config_json;
  std::string features = {};  // empty: there is no features file
  std::string results = {};   // render/result_service.h; empty: there is no such file

  bool operator==(const NodeFiles&) const = default;
};

}  // namespace sunup::render

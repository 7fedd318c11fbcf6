// The files that custom data writes on a node: paths::kNodeConfig, paths::kFeatures,
// paths::kResultService and the declarations of hooks.
#pragma once

#include <string>
#include <vector>

#include "base/node_paths.h"
#include "render/hook_file.h"

namespace sunup::render {

struct NodeFiles {
  std::string config_json;
  std::string features = {};  // empty: there is no features file
  std::string results = {};   // render/result_service.h; empty: there is no such file

  // Written before the config: the controller, which the config starts, reads them once.
  std::vector<HookFile> hooks = {};

  bool operator==(const NodeFiles&) const = default;
};

}  // namespace sunup::render

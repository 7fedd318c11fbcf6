// Unattended upgrades, if the config enables them and the distribution supports them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "render/node/facts.h"
#include "render/node/node_file.h"

namespace sunup::render::node {

struct UpgradeUnits {
  std::vector<std::string_view> disable;
  std::vector<std::string_view> unmask;
  std::vector<std::string_view> enable;
  std::vector<std::string_view> start;
};

UpgradeUnits upgrade_units(const Configuration& config, const NodeFacts& facts);

Result<NodeFiles> upgrade_files(const Configuration& config, const NodeFacts& facts);

}  // namespace sunup::render::node

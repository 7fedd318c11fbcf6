// What custom data puts on a node, and where. The paths are fixed: images, the guest agent and support tools know them.
#pragma once

#include <string>

namespace sunup::render {

inline constexpr char kNodeConfigFile[] = "/opt/azure/containers/aks-node-controller-config.json";
inline constexpr char kFeaturesFile[] = "/opt/azure/containers/enabled_features.sh";

struct NodeFiles {
  std::string config_json;
  std::string features;  // empty: there is no features file

  bool operator==(const NodeFiles&) const = default;
};

}  // namespace sunup::render

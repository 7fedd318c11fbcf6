// The command of the custom script extension: it waits for the provision that custom data has started, and prints its
// result. The same for every node, so that it never makes a scale set's model differ.
#pragma once

#include <string_view>

namespace sunup::render {

inline constexpr std::string_view kCseCommand = "/opt/azure/containers/aks-node-controller provision-wait";

}  // namespace sunup::render

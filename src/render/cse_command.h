// The command of the custom script extension: it waits for the run that custom data has started and prints its result.
// It is the same for every node, so it never changes the model of a scale set.
#pragma once

#include <string_view>

namespace sunup::render {

inline constexpr std::string_view kCseCommand = "/opt/azure/containers/aks-node-controller provision-wait";

}  // namespace sunup::render

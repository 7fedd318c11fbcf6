// The part of a VM's or scale set's model that makes it a node: custom data, and the extension that waits for the
// result. Put both members into `virtualMachineProfile` of a scale set; for a single VM, osProfile goes into its
// properties and the extension becomes a separate resource.
#pragma once

#include <string>
#include <string_view>

#include "aksnodeconfig/v1/configuration.pb.h"
#include "base/result.h"
#include "render/custom_data.h"

namespace sunup::render {

// The command of the custom script extension: it waits for the run that custom data has started and prints its result.
// It is the same for every node, so it never changes the model of a scale set.
inline constexpr std::string_view kCseCommand = "/opt/azure/containers/aks-node-controller provision-wait";

// JSON, two spaces of indent, newline at the end.
Result<std::string> vmss_model(const aksnodeconfig::v1::Configuration& config, const CustomDataOptions& options = {});

}  // namespace sunup::render

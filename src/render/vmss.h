// The part of a VM's or scale set's model that makes it a node: custom data, and the extension that waits for the
// result. Put both members into `virtualMachineProfile` of a scale set; for a single VM, osProfile goes into its
// properties and the extension becomes a separate resource.
#pragma once

#include <string>

#include "aksnodeconfig/v1/configuration.pb.h"
#include "base/result.h"
#include "render/custom_data.h"

namespace sunup::render {

// JSON, two spaces of indent, newline at the end.
Result<std::string> vmss_model(const aksnodeconfig::v1::Configuration& config, const CustomDataOptions& options = {});

}  // namespace sunup::render

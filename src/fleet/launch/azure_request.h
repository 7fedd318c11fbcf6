// A launch template as the bodies of the Azure Resource Manager requests that create a VM or a scale set.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "base/result.h"
#include "fleet/launch/launch_template.h"

namespace sunup::fleet {

// {"networkInterface": ..., "virtualMachine": ..., "extensions": [...]}
nlohmann::ordered_json virtual_machine_request(const Resolution& node, const LaunchTemplate& made,
                                               const Settings& settings);

// Instances of a scale set add a number to its computer name, and Azure allows 58 characters before it.
inline constexpr size_t kLongestNamePrefix = 58;

// {"virtualMachineProfile": ...} of a scale set; refused if the VM's name is longer.
Result<nlohmann::ordered_json> scale_set_request(const Resolution& node, const LaunchTemplate& made,
                                                 const Settings& settings);

}  // namespace sunup::fleet

// Determines which Azure cloud a node is in, and the values that depend on it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "aksnodeconfig/v1/configuration.pb.h"

namespace sunup::render {

enum class AzureCloud : uint8_t { kPublic, kChina, kGerman, kUsGovernment, kCustom };

// Custom if the config names the environment "akscustom" (case-insensitive), otherwise by location.
AzureCloud azure_cloud(const aksnodeconfig::v1::Configuration& config);

// For example "AzurePublicCloud". The two functions return different names for a custom cloud.
std::string_view target_environment(AzureCloud cloud);
std::string_view target_cloud(AzureCloud cloud);

// The endpoint of Azure Resource Manager. In a custom cloud it comes from the config's environment JSON and may be
// empty.
std::string arm_endpoint(AzureCloud cloud, std::string_view custom_environment_json);

}  // namespace sunup::render

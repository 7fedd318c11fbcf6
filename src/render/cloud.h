// Which Azure cloud a node is in, and what follows from that.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "aksnodeconfig/v1/configuration.pb.h"

namespace sunup::render {

enum class AzureCloud : uint8_t { kPublic, kChina, kGerman, kUsGovernment, kCustom };

// Custom if the config names the environment "akscustom" (in any case), else by location.
AzureCloud azure_cloud(const aksnodeconfig::v1::Configuration& config);

// "AzurePublicCloud" and so on; what a custom cloud is called differs between the two.
std::string_view target_environment(AzureCloud cloud);
std::string_view target_cloud(AzureCloud cloud);

// Where Azure Resource Manager answers. In a custom cloud the config's environment JSON says it, or nothing does.
std::string arm_endpoint(AzureCloud cloud, std::string_view custom_environment_json);

}  // namespace sunup::render

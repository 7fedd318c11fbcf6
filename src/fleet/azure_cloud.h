// The clouds of Azure that a node can be in, as settings name them and as nodes are told.
#pragma once

#include <string_view>

namespace sunup::fleet {

// "AzureUSGovernmentCloud" for "azureusgovernment", letter case ignored; empty when there is no such cloud.
std::string_view cloud_name(std::string_view given);

// The cloud a location belongs to.
std::string_view cloud_of_location(std::string_view location);

}  // namespace sunup::fleet

// The Azure clouds, by their names in settings and on nodes.
#pragma once

#include <string_view>

namespace sunup::fleet {

// "AzureUSGovernmentCloud" for "azureusgovernment", case-insensitive; empty if there is no such cloud.
std::string_view cloud_name(std::string_view given);

// The cloud of a location.
std::string_view cloud_of_location(std::string_view location);

}  // namespace sunup::fleet

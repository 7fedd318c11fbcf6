// Reads an Ignition config: its files with inline content (data URLs). All other members must be empty, or the unit
// that starts the controller.
#pragma once

#include <string_view>

#include "azure/custom_data.h"

namespace sunup::azure {

Result<CustomData> read_ignition(std::string_view text);

}  // namespace sunup::azure

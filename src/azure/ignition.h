// Reads an Ignition config: its files with inline content (data URLs). Other members must be the unit that starts the
// controller, or have nothing in them.
#pragma once

#include <string_view>

#include "azure/custom_data.h"

namespace sunup::azure {

Result<CustomData> read_ignition(std::string_view text);

}  // namespace sunup::azure

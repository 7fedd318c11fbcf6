// Reads a cloud-config: the files of its write_files, in every encoding that cloud-init knows. Other members must be
// ones without an effect on the node (final_message, a runcmd that only prints or starts the controller).
#pragma once

#include <string_view>

#include "azure/custom_data.h"

namespace sunup::azure {

Result<CustomData> read_cloud_config(std::string_view yaml);

}  // namespace sunup::azure

// Reads a cloud-config: the files of its write_files, in every encoding that cloud-init supports. All other members
// must have no effect on the node (final_message, a runcmd that only prints or starts the controller).
#pragma once

#include <string_view>
#include <vector>

#include "azure/custom_data.h"

namespace sunup::azure {

Result<CustomData> read_cloud_config(std::string_view yaml);

// The files of a scripts hotfix, in their order. Members other than write_files are ignored, as by the original. The
// error names the first invalid entry.
Result<std::vector<NodeFile>> read_hotfix_files(std::string_view yaml);

}  // namespace sunup::azure

// The plain cloud-config form of custom data (write_files), for images that are older than the boothook: cloud-init
// writes the config in its second-to-last stage, and the image's own unit then starts the controller.
//
// cloud-init writes in place and sets the mode afterwards; the controller waits for a config that is still being
// written.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "render/node_files.h"

namespace sunup::render {

std::string write_files_config(const NodeFiles& files);

// Extracts the files from the output of write_files_config(); empty for other documents.
std::optional<NodeFiles> read_write_files_config(std::string_view text);

// The second part of the boothook form. It only writes a line to cloud-init's log at the end of the boot.
std::string companion_cloud_config();

}  // namespace sunup::render

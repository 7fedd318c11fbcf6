// Custom data for Flatcar and Azure Container Linux: an Ignition config that writes the node config (0600) before the
// first boot and contains the unit that starts the controller.
//
// Spec 3.3.0, because both old and new releases of Ignition read it.
#pragma once

#include <string>
#include <string_view>

#include "render/node_files.h"

namespace sunup::render {

// `compressed`: the files inside the document are compressed with gzip; the document itself must be JSON. `plain` is a
// text of the config that must appear literally in the document.
std::string ignition_config(const NodeFiles& files, bool compressed, std::string_view plain = {});

}  // namespace sunup::render

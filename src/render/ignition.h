// Custom data for Flatcar and Azure Container Linux: an Ignition config that writes the node config (0600) before the
// first boot and brings the unit that starts the controller.
//
// Spec 3.3.0, because both old and new releases of Ignition read it.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "render/node_files.h"

namespace sunup::render {

// `compressed`: the files travel as gzip inside the document, which itself must stay JSON.
std::string ignition_config(const NodeFiles& files, bool compressed);

// Reads them back out of ignition_config()'s text; nothing when it is another document.
std::optional<NodeFiles> read_ignition_config(std::string_view text);

}  // namespace sunup::render

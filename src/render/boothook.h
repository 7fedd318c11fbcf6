// The boothook: the shell script that cloud-init runs in its init stage, long before the rest of boot has finished. It
// puts the config in place and gets the controller started at once.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "render/node_files.h"

namespace sunup::render {

// Both texts travel as base64, so the script is the same harmless ASCII whatever they hold. No features: no file.
std::string boothook(const NodeFiles& files);

// Reads them back out of boothook()'s text; nothing when it is another script.
std::optional<NodeFiles> read_boothook(std::string_view script);

}  // namespace sunup::render

// The boothook: the shell script that cloud-init runs in its init stage, long before the boot has finished. It writes
// the config and starts the controller immediately.
#pragma once

#include <string>

#include "render/node_files.h"

namespace sunup::render {

// All texts are encoded in base64, so the script is plain ASCII for any content. A file with an empty text is not
// written, except for the config. With `readable`, the config, which must be ASCII, is literally part of the script.
std::string boothook(const NodeFiles& files, bool readable = false);

}  // namespace sunup::render

// Reads a boothook: the files that a script writes from here-documents. The script is not run. Everything else in it
// must be one of the few commands that a boothook of a node consists of (making directories, log lines, starting the
// controller); a script that does more is for a shell, not for this program.
#pragma once

#include <string_view>

#include "azure/custom_data.h"

namespace sunup::azure {

// An error: a here-document has no end, or its content is damaged.
Result<CustomData> read_boothook(std::string_view script);

}  // namespace sunup::azure

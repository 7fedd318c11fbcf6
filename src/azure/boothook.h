// Reads a boothook: the files that a script writes from here-documents. The script is not run. Everything else in it
// must be one of the few commands that the boothook of a node contains (making directories, log lines, starting the
// controller). A script with other commands can only be run by a shell and is not accepted here.
#pragma once

#include <string_view>

#include "azure/custom_data.h"

namespace sunup::azure {

// An error if a here-document has no end or its content is damaged.
Result<CustomData> read_boothook(std::string_view script);

}  // namespace sunup::azure

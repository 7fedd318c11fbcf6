// The node custom data: script fixes for an image, as a list of files to write (the write_files of a cloud-config).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "controller/node.h"

namespace sunup::controller {

struct CustomDataFile {
  std::string path;
  std::string content;  // decoded
  mode_t mode = 0644;
};

// The files in their order. The error names the first entry that cannot be used.
Result<std::vector<CustomDataFile>> parse_custom_data(std::string_view yaml);

// Writes the files of /opt/azure/containers/nodecustomdata.yml. If one entry cannot be used, or one of the files cannot
// be looked at, none is written: scripts of two versions do not fit together. No such file: nothing to do.
Result<void> apply_custom_data(Node& node);

}  // namespace sunup::controller

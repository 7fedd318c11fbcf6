// Reads the files that custom data writes on a node: the write_files of a cloud-config.
#pragma once

#include <sys/types.h>

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace sunup::controller {

struct CustomDataFile {
  std::string path;
  std::string content;  // decoded
  mode_t mode = 0644;
};

// The files in their order. The error names the first entry that cannot be used.
Result<std::vector<CustomDataFile>> parse_custom_data(std::string_view yaml);

}  // namespace sunup::controller

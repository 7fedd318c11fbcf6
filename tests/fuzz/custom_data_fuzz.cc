// Any bytes can be read as custom data: accepted data has a config or a command, and only plain absolute paths.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "azure/custom_data.h"
#include "base/node_paths.h"
#include "render/node_files.h"
#include "require.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace sunup::azure;
  const auto read = read_custom_data({reinterpret_cast<const char*>(data), size});
  if (!read) {
    require(!read.error().what.empty(), "a refusal has a reason");
    return 0;
  }
  for (const NodeFile& file : read->files) {
    require(file.path.starts_with('/') && file.path.find("/../") == std::string::npos, "paths are absolute and plain");
    require(file.mode <= 0777, "modes are permission bits");
    require(file.content.size() <= kLargestUnpacked, "files are bounded");
  }
  if (read->not_understood.empty())
    require(read->file(sunup::paths::kNodeConfig) != nullptr || read->file(kNbcCommandFile) != nullptr,
            "what is understood provisions a node");
  return 0;
}

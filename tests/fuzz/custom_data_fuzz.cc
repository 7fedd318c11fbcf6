// Any bytes can be read as custom data: accepted data has a config or a command, and only plain absolute paths. The
// same bytes can be read as the list of files of a scripts hotfix: accepted files have absolute paths.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "azure/custom_data.h"
#include "base/node_paths.h"
#include "require.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace sunup;
  using namespace sunup::azure;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const auto check = [](const NodeFile& file) {
    require(file.path.starts_with('/'), "a path is absolute");
    require(file.mode <= 0777, "modes are permission bits");
    require(file.content.size() <= kLargestUnpacked, "files are bounded");
  };
  if (const auto read = read_custom_data(bytes)) {
    for (const NodeFile& file : read->files) {
      check(file);
      require(file.path.find("/../") == std::string::npos, "paths are plain");
    }
    if (read->not_understood.empty())
      require(read->file(paths::kNodeConfig) != nullptr || read->file(paths::kNbcCommand) != nullptr,
              "what is understood provisions a node");
  } else {
    require(!read.error().what.empty(), "a refusal has a reason");
  }
  if (const auto files = read_hotfix_files(bytes)) {
    for (const NodeFile& file : *files) check(file);
  } else {
    require(!files.error().what.empty(), "a refusal has a reason");
  }
  return 0;
}

// Any bytes are a list of files to write or are refused: a path is absolute, and a mode has no special bits.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "azure/cloud_config.h"
#include "require.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace sunup::azure;
  const auto files = read_hotfix_files({reinterpret_cast<const char*>(data), size});
  if (!files) {
    require(!files.error().what.empty(), "a refusal has a reason");
    return 0;
  }
  for (const NodeFile& file : *files) {
    require(file.path.starts_with('/'), "a path is absolute");
    require((file.mode & ~0777u) == 0, "no file becomes set-user-ID");
  }
  return 0;
}

// Any bytes are a database of containerd or are refused; every name is a part of the file.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "plan/image_database.h"
#include "require.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  if (const auto names = sunup::plan::image_names(bytes))
    for (const std::string& name : *names)
      require(bytes.find(name) != std::string_view::npos, "a name is a part of the file");
  return 0;
}

// Any bytes are custom data in one of its forms (MIME with a boothook, Ignition, cloud-config; compressed or not) or
// are refused.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "render/custom_data.h"
#include "render/gzip.h"
#include "render/ignition.h"
#include "render/mime.h"
#include "require.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace sunup::render;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const auto content = read_custom_data(bytes);
  require(content.ok() || !content.error().what.empty(), "a refusal has a reason");
  for (const MimePart& part : parts_of(bytes)) require(part.body.size() <= size, "a part lies in the message");
  if (const auto files = read_ignition_config(bytes)) {
    for (const bool compressed : {false, true})
      require(read_ignition_config(ignition_config(*files, compressed)) == files, "what is written is read back");
  }
  return 0;
}

// The list of mounts with any content: every mount has a target, a type and a source, which lie in the text.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "host/real/mountinfo.h"
#include "require.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace sunup::host;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  for (const Mount& mount : real::parse_mountinfo(text)) {
    require(!mount.target.empty() && !mount.type.empty() && !mount.source.empty(), "a mount is whole");
    require(text.find(mount.type) != text.npos && text.find(mount.options) != text.npos, "its words are in the text");
  }
  return 0;
}

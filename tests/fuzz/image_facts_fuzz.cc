// The data that a node reads about itself, with any content: the release files of the image and the response of the
// metadata service.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "render/distro.h"
#include "render/gpu_components.h"
#include "render/node/imds.h"
#include "require.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace sunup::render;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const OsIdentity os = identify({std::string(text)});
  require(os.id.size() <= size && os.version.size() <= size, "a name lies in the text");
  require(os.version.find('\n') == std::string::npos, "a version is one line");
  if (const auto facts = node::parse_imds(text)) {
    for (const node::NetworkInterface& nic : facts->interfaces)
      require(nic.mac.empty() || nic.mac.size() == 17, "an address of an interface has its form, or is unknown");
    (void)facts->primary_ipv4();
    (void)facts->primary_ipv6();
    (void)facts->tag("a");
  }
  const auto images = parse_gpu_components(text);
  require(images.ok() || !images.error().what.empty(), "a refusal has a reason");
  return 0;
}

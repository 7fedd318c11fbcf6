// The data that a node reads about itself, with any content: the release files of the image, its list of components,
// and the response of the metadata service. Facts that a user gives are read in the same way.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "render/distro.h"
#include "render/gpu_components.h"
#include "render/node/component_list.h"
#include "render/node/facts.h"
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
  const auto facts = node::facts_from_json(text);
  require(facts.ok() || !facts.error().what.empty(), "a refusal has a reason");
  const auto versions = node::credential_provider_versions(text, node::golden_image(Distro::kUbuntu2204));
  const std::string version = node::credential_provider_version(versions, "1.33.1");
  require(versions.empty() == version.empty() || version.empty(), "a version is one of the list");
  const auto images = parse_gpu_components(text);
  require(images.ok() || !images.error().what.empty(), "a refusal has a reason");
  return 0;
}

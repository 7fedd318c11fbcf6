#include "fleet/image_family.h"
#include "base/version_changes.h"

namespace sunup::fleet {
namespace {

constexpr ImageDefinition kImages[] = {
    {"2404gen2containerd", "aks-ubuntu-containerd-24.04-gen2", "amd64", "2"},
    {"2404containerd", "aks-ubuntu-containerd-24.04", "amd64", "1"},
    {"2404gen2arm64containerd", "aks-ubuntu-arm64-containerd-24.04-gen2", "arm64", "2"},
    {"2404gen2TLcontainerd", "aks-ubuntu-containerd-24.04-tl-gen2", "amd64", "2", false, true},
};

bool serves(const FamilyQuery& query) {
  if (query.requested == "Ubuntu2404") return true;
  const bool plain = query.requested == "Ubuntu" || query.requested.empty();
  return plain && !query.fips && !query.trusted_launch && version_at_least(query.kubernetes_version, versions::kUbuntu2404);
}

}  // namespace

const ImageFamily kUbuntu2404{
    .name = "Ubuntu2404",
    .effective_name = "Ubuntu2404",
    .os_sku = "Ubuntu",
    .custom_data_os = "ubuntu2404",
    .local_dns = true,
    .gallery = kUbuntuGallery,
    .images = kImages,
    .serves = serves,
};

}  // namespace sunup::fleet

#include "fleet/image_family.h"
#include "base/version_changes.h"

namespace sunup::fleet {
namespace {

constexpr ImageDefinition kImages[] = {
    {"2204gen2containerd", "aks-ubuntu-containerd-22.04-gen2", "amd64", "2"},
    {"2204containerd", "aks-ubuntu-containerd-22.04", "amd64", "1"},
    {"2204gen2arm64containerd", "aks-ubuntu-arm64-containerd-22.04-gen2", "arm64", "2"},
    {"2204gen2TLcontainerd", "aks-ubuntu-containerd-22.04-tl-gen2", "amd64", "2", false, true},
    {"2204gen2fipsTLcontainerd", "aks-ubuntu-fips-containerd-22.04-tl-gen2", "amd64", "2", true, true},
};

// Plain Ubuntu means 22.04 before Kubernetes 1.34, and with trusted launch always.
bool serves(const FamilyQuery& query) {
  if (query.requested == "Ubuntu2204") return true;
  if (query.requested != "Ubuntu" && !query.requested.empty()) return false;
  return query.trusted_launch || (!query.fips && !version_at_least(query.kubernetes_version, versions::kUbuntu2404));
}

}  // namespace

const ImageFamily kUbuntu2204{
    .name = "Ubuntu2204",
    .effective_name = "Ubuntu2204",
    .os_sku = "Ubuntu",
    .custom_data_os = "ubuntu2204",
    .local_dns = true,
    .gallery = kUbuntuGallery,
    .images = kImages,
    .serves = serves,
};

}  // namespace sunup::fleet

#include "fleet/sources/image_family.h"

namespace sunup::fleet {
namespace {

constexpr ImageDefinition kImages[] = {
    {"2004gen2fipscontainerd", "aks-ubuntu-fips-containerd-20.04-gen2", "amd64", "2", true},
    {"2004fipscontainerd", "aks-ubuntu-fips-containerd-20.04", "amd64", "1", true},
};

// Kept for FIPS only: it has the certified modules that later releases lack.
bool serves(const FamilyQuery& query) {
  return (query.requested == "Ubuntu" || query.requested.empty()) && query.fips && !query.trusted_launch;
}

}  // namespace

const ImageFamily kUbuntu2004{
    .name = "Ubuntu2004",
    .effective_name = "Ubuntu",
    .os_sku = "Ubuntu",
    .custom_data_os = "ubuntu2004",
    .local_dns = false,
    .gallery = kUbuntuGallery,
    .images = kImages,
    .serves = serves,
};

}  // namespace sunup::fleet

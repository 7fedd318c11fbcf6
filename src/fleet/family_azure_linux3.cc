#include "fleet/image_family.h"
#include "base/version_changes.h"

namespace sunup::fleet {
namespace {

constexpr ImageDefinition kImages[] = {
    {"V3gen2", "aks-azurelinux-v3-gen2", "amd64", "2"},
    {"V3", "aks-azurelinux-v3", "amd64", "1"},
    {"V3gen2arm64", "aks-azurelinux-v3-arm64-gen2", "arm64", "2"},
    {"V3gen2TL", "aks-azurelinux-v3-gen2-tl", "amd64", "2", false, true},
    {"V3gen2fips", "aks-azurelinux-v3-gen2-fips", "amd64", "2", true},
    {"V3fips", "aks-azurelinux-v3-fips", "amd64", "1", true},
    {"V3gen2arm64fips", "aks-azurelinux-v3-arm64-gen2-fips", "arm64", "2", true},
};

bool serves(const FamilyQuery& query) {
  return query.requested == "AzureLinux" && version_at_least(query.kubernetes_version, versions::kAzureLinux3);
}

}  // namespace

const ImageFamily kAzureLinux3{
    .name = "AzureLinux3",
    .effective_name = "AzureLinux3",
    .os_sku = "AzureLinux",
    .custom_data_os = "azurelinux3",
    .local_dns = true,
    .gallery = kAzureLinuxGallery,
    .images = kImages,
    .serves = serves,
};

}  // namespace sunup::fleet

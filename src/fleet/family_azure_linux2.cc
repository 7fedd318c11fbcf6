#include "fleet/image_family.h"
#include "base/version_changes.h"

namespace sunup::fleet {
namespace {

constexpr ImageDefinition kImages[] = {
    {"V2gen2", "aks-azurelinux-v2-gen2", "amd64", "2"},
    {"V2", "aks-azurelinux-v2", "amd64", "1"},
    {"V2gen2arm64", "aks-azurelinux-v2-arm64-gen2", "arm64", "2"},
    {"V2gen2TL", "aks-azurelinux-v2-gen2-tl", "amd64", "2", false, true},
    {"V2gen2fips", "aks-azurelinux-v2-gen2-fips", "amd64", "2", true},
    {"V2fips", "aks-azurelinux-v2-fips", "amd64", "1", true},
};

bool serves(const FamilyQuery& query) {
  return query.requested == "AzureLinux" && !version_at_least(query.kubernetes_version, versions::kAzureLinux3);
}

}  // namespace

const ImageFamily kAzureLinux2{
    .name = "AzureLinux2",
    .effective_name = "AzureLinux2",
    .os_sku = "AzureLinux",
    .custom_data_os = "azurelinux2",
    .local_dns = true,
    .gallery = kAzureLinuxGallery,
    .images = kImages,
    .serves = serves,
};

}  // namespace sunup::fleet

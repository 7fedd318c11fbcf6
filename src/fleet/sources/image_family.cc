#include "fleet/sources/image_family.h"

namespace sunup::fleet {
namespace {

bool is_plain_ubuntu(const FamilyQuery& query) {
  return query.requested == "Ubuntu" || query.requested.empty();
}

constexpr ImageDefinition kUbuntu2204Images[] = {
    {"2204gen2containerd", "aks-ubuntu-containerd-22.04-gen2", "amd64", "2"},
    {"2204containerd", "aks-ubuntu-containerd-22.04", "amd64", "1"},
    {"2204gen2arm64containerd", "aks-ubuntu-arm64-containerd-22.04-gen2", "arm64", "2"},
    {"2204gen2TLcontainerd", "aks-ubuntu-containerd-22.04-tl-gen2", "amd64", "2", false, true},
    {"2204gen2fipsTLcontainerd", "aks-ubuntu-fips-containerd-22.04-tl-gen2", "amd64", "2", true, true},
};

// Plain Ubuntu means 22.04 before Kubernetes 1.34, and always with trusted launch.
bool serves_ubuntu2204(const FamilyQuery& query) {
  if (query.requested == "Ubuntu2204") return true;
  if (!is_plain_ubuntu(query)) return false;
  return query.trusted_launch || (!query.fips && !version_at_least(query.kubernetes_version, versions::kUbuntu2404));
}

constexpr ImageFamily kUbuntu2204{
    .name = "Ubuntu2204",
    .effective_name = "Ubuntu2204",
    .os_sku = "Ubuntu",
    .custom_data_os = "ubuntu2204",
    .local_dns = true,
    .gallery = kUbuntuGallery,
    .images = kUbuntu2204Images,
    .serves = serves_ubuntu2204,
};

constexpr ImageDefinition kUbuntu2404Images[] = {
    {"2404gen2containerd", "aks-ubuntu-containerd-24.04-gen2", "amd64", "2"},
    {"2404containerd", "aks-ubuntu-containerd-24.04", "amd64", "1"},
    {"2404gen2arm64containerd", "aks-ubuntu-arm64-containerd-24.04-gen2", "arm64", "2"},
    {"2404gen2TLcontainerd", "aks-ubuntu-containerd-24.04-tl-gen2", "amd64", "2", false, true},
};

bool serves_ubuntu2404(const FamilyQuery& query) {
  if (query.requested == "Ubuntu2404") return true;
  return is_plain_ubuntu(query) && !query.fips && !query.trusted_launch &&
         version_at_least(query.kubernetes_version, versions::kUbuntu2404);
}

constexpr ImageFamily kUbuntu2404{
    .name = "Ubuntu2404",
    .effective_name = "Ubuntu2404",
    .os_sku = "Ubuntu",
    .custom_data_os = "ubuntu2404",
    .local_dns = true,
    .gallery = kUbuntuGallery,
    .images = kUbuntu2404Images,
    .serves = serves_ubuntu2404,
};

constexpr ImageDefinition kUbuntu2604Images[] = {
    {"2604minimalgen2containerd", "aks-ubuntu-minimal-containerd-26.04-gen2", "amd64", "2"},
    {"2604minimalgen2arm64containerd", "aks-ubuntu-minimal-arm64-containerd-26.04-gen2", "arm64", "2"},
};

bool serves_ubuntu2604(const FamilyQuery& query) {
  return query.requested == "Ubuntu2604";
}

constexpr ImageFamily kUbuntu2604{
    .name = "Ubuntu2604",
    .effective_name = "Ubuntu2604",
    .os_sku = "Ubuntu",
    .custom_data_os = "ubuntu2604",
    .gallery = kUbuntuGallery,
    .images = kUbuntu2604Images,
    .serves = serves_ubuntu2604,
};

constexpr ImageDefinition kUbuntu2004Images[] = {
    {"2004gen2fipscontainerd", "aks-ubuntu-fips-containerd-20.04-gen2", "amd64", "2", true},
    {"2004fipscontainerd", "aks-ubuntu-fips-containerd-20.04", "amd64", "1", true},
};

// For FIPS only: later releases have no certified modules.
bool serves_ubuntu2004(const FamilyQuery& query) {
  return is_plain_ubuntu(query) && query.fips && !query.trusted_launch;
}

constexpr ImageFamily kUbuntu2004{
    .name = "Ubuntu2004",
    .effective_name = "Ubuntu",
    .os_sku = "Ubuntu",
    .custom_data_os = "ubuntu2004",
    .local_dns = false,
    .gallery = kUbuntuGallery,
    .images = kUbuntu2004Images,
    .serves = serves_ubuntu2004,
};

constexpr ImageDefinition kAzureLinux3Images[] = {
    {"V3gen2", "aks-azurelinux-v3-gen2", "amd64", "2"},
    {"V3", "aks-azurelinux-v3", "amd64", "1"},
    {"V3gen2arm64", "aks-azurelinux-v3-arm64-gen2", "arm64", "2"},
    {"V3gen2TL", "aks-azurelinux-v3-gen2-tl", "amd64", "2", false, true},
    {"V3gen2fips", "aks-azurelinux-v3-gen2-fips", "amd64", "2", true},
    {"V3fips", "aks-azurelinux-v3-fips", "amd64", "1", true},
    {"V3gen2arm64fips", "aks-azurelinux-v3-arm64-gen2-fips", "arm64", "2", true},
};

bool serves_azurelinux3(const FamilyQuery& query) {
  return query.requested == "AzureLinux" && version_at_least(query.kubernetes_version, versions::kAzureLinux3);
}

constexpr ImageFamily kAzureLinux3{
    .name = "AzureLinux3",
    .effective_name = "AzureLinux3",
    .os_sku = "AzureLinux",
    .custom_data_os = "azurelinux3",
    .local_dns = true,
    .gallery = kAzureLinuxGallery,
    .images = kAzureLinux3Images,
    .serves = serves_azurelinux3,
};

constexpr ImageDefinition kAzureLinux2Images[] = {
    {"V2gen2", "aks-azurelinux-v2-gen2", "amd64", "2"},
    {"V2", "aks-azurelinux-v2", "amd64", "1"},
    {"V2gen2arm64", "aks-azurelinux-v2-arm64-gen2", "arm64", "2"},
    {"V2gen2TL", "aks-azurelinux-v2-gen2-tl", "amd64", "2", false, true},
    {"V2gen2fips", "aks-azurelinux-v2-gen2-fips", "amd64", "2", true},
    {"V2fips", "aks-azurelinux-v2-fips", "amd64", "1", true},
};

bool serves_azurelinux2(const FamilyQuery& query) {
  return query.requested == "AzureLinux" && !version_at_least(query.kubernetes_version, versions::kAzureLinux3);
}

constexpr ImageFamily kAzureLinux2{
    .name = "AzureLinux2",
    .effective_name = "AzureLinux2",
    .os_sku = "AzureLinux",
    .custom_data_os = "azurelinux2",
    .local_dns = true,
    .gallery = kAzureLinuxGallery,
    .images = kAzureLinux2Images,
    .serves = serves_azurelinux2,
};

// Every image of this family is for trusted launch.
constexpr ImageDefinition kAzureContainerLinuxImages[] = {
    {"aclgen2TL", "aks-acl-gen2-tl", "amd64", "2", false, true},
    {"aclgen2arm64TL", "aks-acl-arm64-gen2-tl", "arm64", "2", false, true},
    {"aclgen2fipsTL", "aks-acl-gen2-fips-tl", "amd64", "2", true, true},
    {"aclgen2arm64fipsTL", "aks-acl-arm64-gen2-fips-tl", "arm64", "2", true, true},
};

bool serves_azure_container_linux(const FamilyQuery& query) {
  return query.requested == "AzureContainerLinux";
}

constexpr ImageFamily kAzureContainerLinux{
    .name = "AzureContainerLinux",
    .effective_name = "AzureContainerLinux",
    .os_sku = "AzureContainerLinux",
    .custom_data_os = "acl",
    .runs_scripts = false,
    .since = &versions::kAzureContainerLinux,
    .gallery = kAzureLinuxGallery,
    .images = kAzureContainerLinuxImages,
    .serves = serves_azure_container_linux,
};

constexpr const ImageFamily* kFamilies[] = {
    &kUbuntu2204, &kUbuntu2404, &kUbuntu2604, &kUbuntu2004, &kAzureLinux3, &kAzureLinux2, &kAzureContainerLinux,
};

}  // namespace

std::span<const ImageFamily* const> image_families() {
  return kFamilies;
}

const ImageFamily* find_image_family(const FamilyQuery& query, std::span<const ImageFamily* const> families) {
  for (const ImageFamily* family : families)
    if (family->serves(query)) return family;
  return nullptr;
}

}  // namespace sunup::fleet

#include "fleet/launch/sig_images.h"

#include <fmt/format.h>

#include <map>

#include "base/text.h"

namespace sunup::fleet {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

struct SigImage {
  std::string_view distro;
  std::string_view gallery;  // the key of the requester's galleries, or the name of a gallery for edge zones
  std::string_view definition;
  std::string_view version;  // of images that are no longer published; empty: the newest
};

constexpr SigImage kImages[] = {
    {"aks-ubuntu-fips-containerd-20.04", "AKSUbuntu", "2004fipscontainerd", ""},
    {"aks-ubuntu-fips-containerd-20.04-gen2", "AKSUbuntu", "2004gen2fipscontainerd", ""},
    {"aks-ubuntu-fips-containerd-22.04", "AKSUbuntu", "2204fipscontainerd", ""},
    {"aks-ubuntu-fips-containerd-22.04-gen2", "AKSUbuntu", "2204gen2fipscontainerd", ""},
    {"aks-ubuntu-fips-containerd-22.04-tl-gen2", "AKSUbuntu", "2204gen2fipsTLcontainerd", ""},
    {"aks-ubuntu-containerd-22.04", "AKSUbuntu", "2204containerd", ""},
    {"aks-ubuntu-containerd-22.04-gen2", "AKSUbuntu", "2204gen2containerd", ""},
    {"aks-ubuntu-containerd-20.04-cvm-gen2", "AKSUbuntu", "2004gen2CVMcontainerd", ""},
    {"aks-ubuntu-arm64-containerd-22.04-gen2", "AKSUbuntu", "2204gen2arm64containerd", ""},
    {"aks-ubuntu-arm64-containerd-24.04-gen2", "AKSUbuntu", "2404gen2arm64containerd", ""},
    {"aks-ubuntu-arm64-gb200-containerd-24.04-gen2", "AKSUbuntu", "2404gen2arm64gbcontainerd", "202602.19.0"},
    {"aks-ubuntu-containerd-24.04-cvm-gen2", "AKSUbuntu", "2404gen2CVMcontainerd", ""},
    {"aks-ubuntu-containerd-22.04-tl-gen2", "AKSUbuntu", "2204gen2TLcontainerd", ""},
    {"aks-ubuntu-egress-containerd-22.04-gen2", "AKSUbuntu", "2204gen2containerd", "2022.10.03"},
    {"aks-ubuntu-containerd-24.04", "AKSUbuntu", "2404containerd", ""},
    {"aks-ubuntu-containerd-24.04-gen2", "AKSUbuntu", "2404gen2containerd", ""},
    {"aks-ubuntu-containerd-24.04-tl-gen2", "AKSUbuntu", "2404gen2TLcontainerd", ""},
    {"aks-ubuntu-minimal-containerd-26.04-gen2", "AKSUbuntu", "2604minimalgen2containerd", ""},
    {"aks-ubuntu-minimal-arm64-containerd-26.04-gen2", "AKSUbuntu", "2604minimalgen2arm64containerd", ""},
    {"aks-cblmariner-v1", "AKSCBLMariner", "V1", "202308.28.0"},
    {"aks-cblmariner-v2", "AKSCBLMariner", "V2", "202512.06.0"},
    {"aks-cblmariner-v2-gen2", "AKSCBLMariner", "V2gen2", "202512.06.0"},
    {"aks-cblmariner-v2-fips", "AKSCBLMariner", "V2fips", "202512.06.0"},
    {"aks-cblmariner-v2-gen2-fips", "AKSCBLMariner", "V2gen2fips", "202512.06.0"},
    {"aks-cblmariner-v2-gen2-kata", "AKSCBLMariner", "V2katagen2", "202509.05.0"},
    {"aks-cblmariner-v2-arm64-gen2", "AKSCBLMariner", "V2gen2arm64", "202512.06.0"},
    {"aks-cblmariner-v2-gen2-tl", "AKSCBLMariner", "V2gen2TL", "202512.06.0"},
    {"aks-cblmariner-v2-kata-gen2-tl", "AKSCBLMariner", "V2katagen2TL", "2022.12.15"},
    {"aks-azurelinux-v2", "AKSAzureLinux", "V2", "202512.06.0"},
    {"aks-azurelinux-v3", "AKSAzureLinux", "V3", ""},
    {"aks-azurelinux-v2-gen2", "AKSAzureLinux", "V2gen2", "202512.06.0"},
    {"aks-azurelinux-v3-gen2", "AKSAzureLinux", "V3gen2", ""},
    {"aks-azurelinux-v2-fips", "AKSAzureLinux", "V2fips", "202512.06.0"},
    {"aks-azurelinux-v3-fips", "AKSAzureLinux", "V3fips", ""},
    {"aks-azurelinux-v2-gen2-fips", "AKSAzureLinux", "V2gen2fips", "202512.06.0"},
    {"aks-azurelinux-v3-gen2-fips", "AKSAzureLinux", "V3gen2fips", ""},
    {"aks-azurelinux-v2-gen2-kata", "AKSAzureLinux", "V2katagen2", "202509.05.0"},
    {"aks-azurelinux-v3-gen2-kata", "AKSAzureLinux", "V3katagen2", ""},
    {"aks-azurelinux-v2-arm64-gen2", "AKSAzureLinux", "V2gen2arm64", "202512.06.0"},
    {"aks-azurelinux-v3-arm64-gen2", "AKSAzureLinux", "V3gen2arm64", ""},
    {"aks-azurelinux-v3-arm64-gen2-fips", "AKSAzureLinux", "V3gen2arm64fips", ""},
    {"aks-azurelinux-v2-gen2-tl", "AKSAzureLinux", "V2gen2TL", "202512.06.0"},
    {"aks-azurelinux-v3-gen2-tl", "AKSAzureLinux", "V3gen2TL", ""},
    {"aks-azurelinux-v3-cvm-gen2", "AKSAzureLinux", "V3gen2CVM", ""},
    {"aks-azurelinux-v3-osguard-gen2-fips-tl", "AKSAzureLinux", "OSGuardV3gen2fipsTL", ""},
    {"aks-acl-gen2-tl", "AKSAzureLinux", "aclgen2TL", ""},
    {"aks-acl-arm64-gen2-tl", "AKSAzureLinux", "aclgen2arm64TL", ""},
    {"aks-acl-gen2-fips-tl", "AKSAzureLinux", "aclgen2fipsTL", ""},
    {"aks-acl-arm64-gen2-fips-tl", "AKSAzureLinux", "aclgen2arm64fipsTL", ""},
    {"aks-flatcar-gen2", "AKSFlatcar", "flatcargen2", "202607.02.0"},
    {"aks-flatcar-arm64-gen2", "AKSFlatcar", "flatcargen2arm64", "202607.02.0"},
    {"aks-windows-2019", "AKSWindows", "windows-2019", "17763.2019.221114"},
    {"aks-windows-2019-containerd", "AKSWindows", "windows-2019-containerd", "17763.2019.221114"},
    {"aks-windows-2022-containerd", "AKSWindows", "windows-2022-containerd", "20348.2022.221114"},
    {"aks-windows-2022-containerd-gen2", "AKSWindows", "windows-2022-containerd-gen2", "20348.2022.221114"},
    {"aks-windows-23H2", "AKSWindows", "windows-23H2", "25398.2022.221114"},
    {"aks-windows-23H2-gen2", "AKSWindows", "windows-23H2-gen2", "25398.2022.221114"},
    {"aks-windows-2025", "AKSWindows", "windows-2025", "26100.2025.221114"},
    {"aks-windows-2025-gen2", "AKSWindows", "windows-2025-gen2", "26100.2025.221114"},
    {"aks-windows-2025-gen2-tl", "AKSWindows", "windows-2025-gen2-tl", "26100.2025.221114"},
    {"aks-ubuntu-edgezone-containerd-22.04", "AKSUbuntuEdgeZone", "2204containerd", ""},
    {"aks-ubuntu-edgezone-containerd-22.04-gen2", "AKSUbuntuEdgeZone", "2204gen2containerd", ""},
    {"aks-ubuntu-edgezone-containerd-24.04", "AKSUbuntuEdgeZone", "2404containerd", ""},
    {"aks-ubuntu-edgezone-containerd-24.04-gen2", "AKSUbuntuEdgeZone", "2404gen2containerd", ""},
    {"aks-azurelinux-v3-edgezone", "AKSAzureLinuxEdgeZone", "V3", ""},
    {"aks-azurelinux-v3-edgezone-gen2", "AKSAzureLinuxEdgeZone", "V3gen2", ""},
};

// The member with this name, compared case-insensitively; null if there is none.
json member(const json& object, std::string_view name) {
  if (!object.is_object()) return nullptr;
  for (const auto& [key, value] : object.items())
    if (equal_ignoring_case(key, name)) return value;
  return nullptr;
}

std::string text(const json& object, std::string_view name) {
  const json value = member(object, name);
  return value.is_string() ? value.get<std::string>() : "";
}

struct Place {
  std::string resource_group;
  std::string gallery;
};

struct SigConfig {
  std::string subscription;
  std::map<std::string, Place, std::less<>> places;  // by the key of the gallery
};

Result<SigConfig> read_sig_config(const json& request) {
  if (!request.is_object()) return Error("the body must be a JSON object");
  const json config = member(request, "SIGConfig");
  SigConfig read;
  read.subscription = text(config, "subscriptionID");
  const json galleries = member(config, "galleries");
  if (!galleries.is_object() || read.subscription.empty() || text(config, "tenantID").empty())
    return Error("SIGConfig must have TenantID, SubscriptionID and Galleries");
  // The requester's configuration does not contain these galleries.
  read.places["AKSUbuntuEdgeZone"] = {"AKS-Ubuntu-EdgeZone", "AKSUbuntuEdgeZone"};
  read.places["AKSAzureLinuxEdgeZone"] = {"AKS-AzureLinux-EdgeZone", "AKSAzureLinuxEdgeZone"};
  for (const char* key : {"AKSUbuntu", "AKSCBLMariner", "AKSAzureLinux", "AKSWindows", "AKSFlatcar"}) {
    const json gallery = member(galleries, key);
    if (gallery.is_null() && key == std::string_view("AKSFlatcar")) continue;
    Place place{text(gallery, "resourceGroup"), text(gallery, "galleryName")};
    if (place.resource_group.empty() || place.gallery.empty())
      return Error(fmt::format("SIGConfig.Galleries.{} must have GalleryName and ResourceGroup", key));
    read.places[key] = std::move(place);
  }
  return read;
}

// A gallery for edge zones has the same versions as the ordinary one.
std::string newest(const SigImage& image, const ImageVersions& versions) {
  if (!image.version.empty()) return std::string(image.version);
  const Gallery& gallery = image.gallery.starts_with("AKSUbuntu") ? kUbuntuGallery : kAzureLinuxGallery;
  return versions.latest(gallery, image.definition).value_or("");
}

// Null if the requester has no such gallery, or no version is known.
ordered_json answer_for(const SigImage& image, const SigConfig& config, const ImageVersions& versions) {
  const auto place = config.places.find(image.gallery);
  const std::string version = newest(image, versions);
  if (place == config.places.end() || version.empty()) return nullptr;
  return {{"ResourceGroup", place->second.resource_group},
          {"Gallery", place->second.gallery},
          {"Definition", image.definition},
          {"Version", version},
          {"SubscriptionID", config.subscription}};
}

}  // namespace

Result<ordered_json> latest_sig_image(const json& request, const ImageVersions& versions) {
  const auto config = read_sig_config(request);
  if (!config) return config.error();
  const std::string distro = text(request, "Distro");
  for (const SigImage& image : kImages)
    if (image.distro == distro)
      if (ordered_json answer = answer_for(image, *config, versions); !answer.is_null()) return answer;
  return Error(fmt::format("can't find SIG image config for distro {} in region {}", distro.substr(0, 100),
                           text(request, "Region").substr(0, 100)));
}

Result<ordered_json> distro_sig_images(const json& request, const ImageVersions& versions) {
  const auto config = read_sig_config(request);
  if (!config) return config.error();
  ordered_json all = ordered_json::object();
  for (const SigImage& image : kImages)
    if (ordered_json answer = answer_for(image, *config, versions); !answer.is_null())
      all[std::string(image.distro)] = std::move(answer);
  return all;
}

}  // namespace sunup::fleet

// Which image of a shared gallery a distro has, as AgentBaker's two image routes tell: the requester's galleries, the
// definition of the distro and its version.
//
//   {"SIGConfig": {"TenantID": ..., "SubscriptionID": ..., "Galleries": {"AKSUbuntu": {"GalleryName": ...,
//   "ResourceGroup": ...}}},
//    "Region": "eastus", "Distro": "aks-ubuntu-containerd-22.04-gen2"}
//
// Names of members are compared without letter case, as a Go program reads them.
#pragma once

#include <nlohmann/json.hpp>

#include "base/result.h"
#include "fleet/sources/image_versions.h"

namespace sunup::fleet {

// {"ResourceGroup", "Gallery", "Definition", "Version", "SubscriptionID"}
Result<nlohmann::ordered_json> latest_sig_image(const nlohmann::json& request, const ImageVersions& versions);

// The same for every distro: {"aks-ubuntu-containerd-22.04": {...}, ...}
Result<nlohmann::ordered_json> distro_sig_images(const nlohmann::json& request, const ImageVersions& versions);

}  // namespace sunup::fleet

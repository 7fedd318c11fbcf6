// The image of a distro in a shared gallery, for AgentBaker's two image routes: the requester's galleries, the
// definition of the distro and its version.
//
//   {"SIGConfig": {"TenantID": ..., "SubscriptionID": ..., "Galleries": {"AKSUbuntu": {"GalleryName": ...,
//   "ResourceGroup": ...}}},
//    "Region": "eastus", "Distro": "aks-ubuntu-containerd-22.04-gen2"}
//
// Names of members are compared case-insensitively, as Go programs do.
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

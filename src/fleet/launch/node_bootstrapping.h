// The bootstrap data of a VM, for a client that creates the VM itself and inserts the bootstrap token: Karpenter in
// provision mode bootstrappingclient.
//
// The client decodes the custom data once from base64 and replaces the text kTokenPlaceholder in it. Therefore the
// placeholder is in plain text within the config, and the node finds the token in its usual place.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "fleet/sources/image_versions.h"
#include "fleet/sources/settings.h"
#include "render/result_service.h"

namespace sunup::fleet {

inline constexpr std::string_view kTokenPlaceholder = "{{.TokenID}}.{{.TokenSecret}}";

struct NodeBootstrapping {
  std::string custom_data;  // base64
  std::string cse;          // the command of the script extension
  std::string_view resource_group;
  std::string_view gallery;
  std::string_view definition;
  std::string image_version;
  std::string subscription;  // of the shared gallery; may be empty
};

// `values` come from the client (provision_profile.h), `settings` from the cluster. The token of the settings is not
// used and not required. `results` is where the node sends its result; empty: nowhere.
Result<NodeBootstrapping> node_bootstrapping(const nlohmann::json& values, const Settings& settings,
                                             const ImageVersions& versions,
                                             const std::optional<render::ResultService>& results = {});

// The settings of a cluster for node_bootstrapping(). Values that the client provides are not required: the bootstrap
// token, the SSH key, the subnet and the Kubernetes version.
Settings read_cluster_settings(const std::vector<Document>& documents, Findings& findings);

// The response as JSON: {"customData", "cse", "osImageConfig", "sigImageConfig"}.
std::string node_bootstrapping_json(const NodeBootstrapping& made);

}  // namespace sunup::fleet

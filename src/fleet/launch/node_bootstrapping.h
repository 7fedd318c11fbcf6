// What a VM needs to become a node, for a client that makes the VM itself and fills in the bootstrap token: Karpenter
// in provision mode bootstrappingclient.
//
// The client decodes the custom data once from base64 and replaces the text kTokenPlaceholder in it. So that text
// stands there in plain, in the config itself, and the node has the token where it always is.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "fleet/sources/image_versions.h"
#include "fleet/sources/settings.h"

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

// `values` are the client's (provision_profile.h), `settings` are those of the cluster. The token of the settings is
// not used and not needed.
Result<NodeBootstrapping> node_bootstrapping(const nlohmann::json& values, const Settings& settings,
                                             const ImageVersions& versions);

// The settings of a cluster for node_bootstrapping(). What the client brings itself need not be there: the bootstrap
// token, the SSH key, the subnet and the Kubernetes version.
Settings read_cluster_settings(const std::vector<Document>& documents, Findings& findings);

// The answer in JSON: {"customData", "cse", "osImageConfig", "sigImageConfig"}.
std::string node_bootstrapping_json(const NodeBootstrapping& made);

}  // namespace sunup::fleet

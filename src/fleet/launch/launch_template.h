// A launch template: everything that is needed to create the VM of a node. It is rendered from a resolution, by the
// generation of the node's image, and printed as a stable JSON object.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "contract/load.h"
#include "fleet/launch/bootstrap_variables.h"
#include "fleet/resolve/resolution.h"
#include "render/result_service.h"

namespace sunup::fleet {

struct LaunchTemplate {
  std::string custom_data;         // base64, for osProfile.customData
  std::optional<std::string> cse;  // the command of the custom script extension, if there is one
  std::string in_place_update_hash;
};

// The part of the bootstrap data that nodes of a kind share. Callers that make many launch templates keep it.
struct KindLaunch {
  explicit KindLaunch(const NodeKind& kind);

  std::optional<BootstrapVariables> variables;    // of the first generation
  std::optional<contract::Configuration> config;  // of the second, without kubelet's flags and labels
  std::string config_wire;                        // the same, serialized
  std::string in_place_update_hash;
};

// `results` is where the node sends its result; empty: nowhere. The script of the first generation does not contain it.
Result<LaunchTemplate> make_launch_template(const Resolution& node,
                                            const std::optional<render::ResultService>& results = {});
// `kind` is that of the node's kind.
Result<LaunchTemplate> make_launch_template(const Resolution& node, const KindLaunch& kind,
                                            const std::optional<render::ResultService>& results = {});

// One line of compact JSON, without a newline at the end. docs/from-nodepool-to-node.md describes its members.
std::string launch_template_json(const Resolution& node, const LaunchTemplate& made);
// The same, indented.
std::string launch_template_text(const Resolution& node, const LaunchTemplate& made);

inline constexpr std::string_view kInPlaceHashAnnotation = "karpenter.azure.com/in-place-update-hash";

// Determines whether tags or identities must be updated in place: FNV-1a 32 over the compact JSON
// {"identities":{id:{}},"tags":{...}}, without empty parts, as a decimal number.
std::string in_place_update_hash(const std::map<std::string, std::string>& tags,
                                 const std::vector<std::string>& identities);

}  // namespace sunup::fleet

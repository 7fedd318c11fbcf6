// A launch template: everything that is needed to create the VM of a node. Created from a resolution by its
// bootstrapper; printed as a stable JSON object, or as the bodies of the Azure requests that create the VM.
#pragma once

#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "fleet/resolve/resolver.h"

namespace sunup::fleet {

struct LaunchTemplate {
  std::string custom_data;         // base64
  std::optional<std::string> cse;  // command of the custom script extension
  std::string in_place_update_hash;
};

Result<LaunchTemplate> make_launch_template(const Resolution& node);

// One line of compact JSON, without a newline at the end. docs/from-nodepool-to-node.md describes its members.
std::string launch_template_json(const Resolution& node, const LaunchTemplate& made);

// The same in two parts: the part that contains the node's name, and the rest, which nodes of one kind share.
std::string launch_template_head(std::string_view claim);
std::string launch_template_tail(const Resolution& node, const LaunchTemplate& made);

// Fills in the parts of it that all nodes of a kind share.
void render_kind(NodeKind& kind);

// The same, indented.
std::string launch_template_text(const Resolution& node, const LaunchTemplate& made);

// {"networkInterface": ..., "virtualMachine": ..., "extensions": [...]}: request bodies of Azure Resource Manager.
nlohmann::ordered_json virtual_machine_request(const Resolution& node, const LaunchTemplate& made,
                                               const Settings& settings);

// Instances of a scale set add a number to its computer name, and Azure allows 58 characters before it.
inline constexpr size_t kLongestNamePrefix = 58;

// {"virtualMachineProfile": ...} of a scale set; refused if the VM's name is longer.
Result<nlohmann::ordered_json> scale_set_request(const Resolution& node, const LaunchTemplate& made,
                                                 const Settings& settings);

}  // namespace sunup::fleet

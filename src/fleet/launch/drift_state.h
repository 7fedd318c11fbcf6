// The state of a node as named texts that can be compared: from a launch template (whose custom data is decoded) or
// from live objects.
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "contract/load.h"
#include "fleet/sources/node_pool.h"

namespace sunup::fleet {

struct DriftState {
  std::map<std::string, std::string> fields;  // "image.id", "variables.LOCATION", "labels.team" ...
  // If the custom data contains an AKSNodeConfig: the parts that are not in `fields`.
  std::optional<contract::Configuration> config;
  std::optional<std::vector<Requirement>> requirements;  // of the pool, if the template contains them
  std::map<std::string, std::string> shown_labels;       // of a live node or its claim, under their current names
  // Of the node's AKSNodeClass: parts of its status that cannot be used now, by the condition that does not hold.
  std::vector<std::string> unready;
  bool machine = false;                             // AKS manages the VM (Machine API)
  std::map<std::string, std::string> machine_tags;  // that AKS machine's
  bool unregistered = false;                        // the NodeClaim says that its node has not registered yet
  bool whole = false;     // false: only a part of the node is known, a missing field means nothing
  bool deleting = false;  // it is being deleted
};

Result<DriftState> read_drift_state(const nlohmann::json& document);

// The assignments of a bootstrap script: NAME=value lines with any of the shell's quotes.
std::map<std::string, std::string> script_variables(std::string_view script);

}  // namespace sunup::fleet

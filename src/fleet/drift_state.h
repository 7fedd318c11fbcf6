// What is known of a node, flattened to named texts that can be compared: from a launch template (whose custom data is
// opened) or from live objects.
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "contract/load.h"
#include "fleet/node_pool.h"

namespace sunup::fleet {

struct DriftState {
  std::map<std::string, std::string> fields;  // "image.id", "variables.LOCATION", "labels.team" ...
  // Where the custom data holds an AKSNodeConfig: what of it is not among the fields.
  std::optional<contract::Configuration> config;
  std::optional<std::vector<Requirement>> requirements;  // of the pool, where a template tells them
  std::map<std::string, std::string> shown_labels;  // of a live node or its claim, whichever says them, today's names
  bool whole = false;                               // false: only part of the node shows, absence means nothing
  bool deleting = false;                            // it is on its way out
};

Result<DriftState> read_drift_state(const nlohmann::json& document);

// The assignments of a bootstrap script: NAME=value lines with any of the shell's quotes.
std::map<std::string, std::string> script_variables(std::string_view script);

}  // namespace sunup::fleet

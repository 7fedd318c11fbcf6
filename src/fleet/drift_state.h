// What is known of a node, flattened to named texts that can be compared: from a launch template (whose custom data is
// opened) or from live objects.
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "base/result.h"
#include "contract/load.h"

namespace sunup::fleet {

struct DriftState {
  std::map<std::string, std::string> fields;      // "image.id", "variables.LOCATION", "labels.team" ...
  std::optional<contract::Configuration> config;  // where the custom data holds an AKSNodeConfig
  bool whole = false;                             // false: only part of the node shows, absence means nothing
};

Result<DriftState> read_drift_state(const nlohmann::json& document);

// The assignments of a bootstrap script: NAME=value lines with any of the shell's quotes.
std::map<std::string, std::string> script_variables(std::string_view script);

}  // namespace sunup::fleet

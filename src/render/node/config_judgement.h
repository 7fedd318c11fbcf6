// What is wrong with a config: what the loader tolerated, what the check finds, what native provisioning refuses, and
// values that the scripts of an image cannot be started with. `sunup config check` and the HTTP API report it.
#pragma once

#include <ctime>
#include <nlohmann/json.hpp>
#include <string_view>
#include <vector>

#include "base/deadline.h"
#include "contract/load.h"

namespace sunup::render::node {

// In the order of the text. `now`: certificates are checked at this time. When the deadline has passed, not everything
// is checked; the caller asks it too.
std::vector<contract::Finding> judge_config(const contract::Loaded& loaded, const contract::Places& places,
                                            std::time_t now, const Deadline& deadline = {});

// "error", "warning" or "note"
std::string_view severity_name(contract::Severity severity);
// {"severity", "rule", "path", "line", "column", "message", "hint"}
nlohmann::ordered_json finding_json(const contract::Finding& finding);

}  // namespace sunup::render::node

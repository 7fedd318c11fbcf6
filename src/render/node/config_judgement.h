// Collects the problems of a config: what the loader tolerated, the findings of the check, what native provisioning
// refuses, and values that the scripts of an image cannot be started with. `sunup config check` and the HTTP API report
// them.
#pragma once

#include <ctime>
#include <nlohmann/json.hpp>
#include <string_view>
#include <vector>

#include "base/deadline.h"
#include "contract/load.h"

namespace sunup::render::node {

// Sorted by position in the text. `now` is the time for which certificates are checked. If the deadline expires, the
// check is incomplete; the caller checks the deadline too.
std::vector<contract::Finding> judge_config(const contract::Loaded& loaded, const contract::Places& places,
                                            std::time_t now, const Deadline& deadline = {});

// "error", "warning" or "note"
std::string_view severity_name(contract::Severity severity);
// {"severity", "rule", "path", "line", "column", "message", "hint"}
nlohmann::ordered_json finding_json(const contract::Finding& finding);

}  // namespace sunup::render::node

// The differences between two configs, and their effect on the node.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/deadline.h"
#include "base/result.h"
#include "contract/diff.h"
#include "render/nbc_config.h"

namespace sunup::render::node {

// A config, and the texts that a command contains in addition.
struct ConfigToCompare {
  contract::Loaded loaded;
  SentTexts sent = {};
};

// A difference and its effect: the variables of the scripts' environment and the files that change.
struct ConfigChange {
  contract::Difference difference;
  std::vector<std::string> variables;
  std::vector<std::string> files;
};
// The node is rendered twice for each difference. The only error is an expired deadline.
Result<std::vector<ConfigChange>> config_changes(const ConfigToCompare& left, const ConfigToCompare& right,
                                                 const Deadline& deadline = {});

// {"path", "left", "right", "secret", "known", "variables", "files"}
nlohmann::ordered_json change_json(const ConfigChange& change);

}  // namespace sunup::render::node

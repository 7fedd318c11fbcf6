// What differs between two configs, and what that changes on the node.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/deadline.h"
#include "base/result.h"
#include "contract/diff.h"
#include "render/nbc_config.h"

namespace sunup::render::node {

// A config, and the texts that a command brings with it.
struct ConfigToCompare {
  contract::Loaded loaded;
  SentTexts sent = {};
};

// A difference, and what it changes: variables of the scripts' environment, and files.
struct ConfigChange {
  contract::Difference difference;
  std::vector<std::string> variables;
  std::vector<std::string> files;
};
// The node is rendered twice for each difference; the only error is that the deadline has passed.
Result<std::vector<ConfigChange>> config_changes(const ConfigToCompare& left, const ConfigToCompare& right,
                                                 const Deadline& deadline = {});

// {"path", "left", "right", "secret", "known", "variables", "files"}
nlohmann::ordered_json change_json(const ConfigChange& change);

}  // namespace sunup::render::node

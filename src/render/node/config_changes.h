// The differences between two configs, each with what it changes on the node: variables of the scripts' environment,
// and files. Files are those of an image of today (typical_node()).
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/deadline.h"
#include "contract/diff.h"
#include "render/nbc_config.h"

namespace sunup::render::node {

// A config, and the texts that a command brings with it.
struct ComparedConfig {
  contract::Loaded loaded;
  SentTexts sent = {};
};

struct ConfigChange {
  contract::Difference difference;
  std::vector<std::string> variables;
  std::vector<std::string> files;
};

// Each difference is rendered by itself. The error: the deadline has passed.
Result<std::vector<ConfigChange>> config_changes(const ComparedConfig& left, const ComparedConfig& right,
                                                 Deadline deadline = {});

// [{"path", "left", "right", "secret", "known", "variables", "files"}]
nlohmann::ordered_json changes_json(const std::vector<ConfigChange>& changes);

}  // namespace sunup::render::node

// Everything that `sunup config check` reports about the text of a config or a command without asking a cluster: what
// the loader tolerates, the rules of the contract, what native provisioning refuses, and variables that are too long.
//
//   const JudgedConfig judged = judge_config(text, "node.json", std::time(nullptr));
//   if (judged.refused) ...                  // the only finding gives the reason
#pragma once

#include <ctime>
#include <nlohmann/json.hpp>
#include <string_view>
#include <vector>

#include "contract/load.h"

namespace sunup::render::node {

struct JudgedConfig {
  bool refused = false;
  std::vector<contract::Finding> findings;  // by position
  contract::Configuration config;           // empty if it is refused
  contract::Places places;
};

JudgedConfig judge_config(std::string_view text, std::string_view name, std::time_t now);

std::string_view severity_word(contract::Severity severity);  // "error", "warning", "note"

// The number of findings of each severity.
struct Tally {
  int errors = 0;
  int warnings = 0;
  int notes = 0;

  void add(const std::vector<contract::Finding>& findings);
  std::string text() const;  // "2 errors, 1 warning"
};

// [{"severity", "rule", "path", "line", "column", "message", "hint"}]
nlohmann::ordered_json findings_json(const std::vector<contract::Finding>& findings);

}  // namespace sunup::render::node

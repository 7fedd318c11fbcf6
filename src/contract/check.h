// Checks the meaning of a config: mistakes that the loader accepts, but that lead to a node that does not become Ready
// or differs from what was intended. Each rule is a small function (check_*.cc); docs/config-check.md lists the rules.
//
//   Details details;
//   auto loaded = load_file("node.json", &details);
//   for (const Finding& finding : check(loaded->config, details.places, {.now = time(nullptr)})) ...
//
// Findings do not contain secrets.
#pragma once

#include <ctime>
#include <string_view>
#include <vector>

#include "base/deadline.h"
#include "contract/load.h"

namespace sunup::contract {

struct CheckOptions {
  std::time_t now = 0;     // certificates are checked at this time; 0: their dates are not checked
  Deadline deadline = {};  // when it has passed, the check returns the findings so far; the caller checks it, too
};

// In the order of the text if the places are known, otherwise in the order of the rules.
std::vector<Finding> check(const Configuration& config, const Places& places = {}, const CheckOptions& options = {});

// The place of a path; for a value that is not in the text, the place of the nearest enclosing value.
Position place_of(const Places& places, std::string_view path);

struct RuleSummary {
  std::string_view id;
  std::string_view about;
};
std::vector<RuleSummary> check_rules();

}  // namespace sunup::contract

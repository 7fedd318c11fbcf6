// Judges what a config means: everything that the loader lets pass but that would show later as a node that is dead, or
// not the node that was meant. One rule is one small function (check_*.cc); docs/config-check.md lists them.
//
//   Details details;
//   auto loaded = load_file("node.json", &details);
//   for (const Finding& finding : check(loaded->config, details.places, {.now = time(nullptr)})) ...
//
// Findings hold no secret.
#pragma once

#include <ctime>
#include <string_view>
#include <vector>

#include "contract/load.h"

namespace sunup::contract {

struct CheckOptions {
  std::time_t now = 0;  // certificates are judged at this time; 0: their dates are not judged
};

// In the order of the text where the places are known, else in the order of the rules.
std::vector<Finding> check(const Configuration& config, const Places& places = {}, const CheckOptions& options = {});

// Where a path stands; a value that is not in the text is missing from the nearest thing around it that is.
Position place_of(const Places& places, std::string_view path);

struct RuleSummary {
  std::string_view id;
  std::string_view about;
};
std::vector<RuleSummary> check_rules();

}  // namespace sunup::contract

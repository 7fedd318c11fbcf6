// A budget: which milestone has to be reached when. For a gate in front of a release.
//
//   # seconds since the zero (default: controller.start)
//   zero kubelet.started
//   node.registered 4
//   node.ready 12.5s
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "timeline/compare.h"

namespace sunup::timeline {

struct Budget {
  struct Line {
    std::string id;
    double seconds = 0;
  };
  std::string zero = {};  // empty: as without a budget
  std::vector<Line> lines = {};
};
// An error names the line: a name that is no milestone and no step ("step:NAME:end"), a number that is none.
Result<Budget> parse_budget(std::string_view text);

struct BudgetReport {
  bool kept = true;
  std::string text;  // a line for each milestone
};
// Medians count. A milestone that did not happen in every run is over budget, and a run that did not succeed keeps
// none, however early it ended.
BudgetReport check_budget(const Budget& budget, const Group& group);

}  // namespace sunup::timeline

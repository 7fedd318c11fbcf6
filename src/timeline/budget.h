// A budget: the time by which each milestone has to be reached. Used as a release gate.
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
  std::string zero = {};  // empty: the default zero
  std::vector<Line> lines = {};
};
// An error names the line that contains an unknown milestone or step ("step:NAME:end") or an invalid number.
Result<Budget> parse_budget(std::string_view text);

struct BudgetReport {
  bool kept = true;
  std::string text;  // a line for each milestone
};
// The medians are compared. A milestone that is missing in any run is over budget, and a run that did not succeed fails
// the budget.
BudgetReport check_budget(const Budget& budget, const Group& group);

}  // namespace sunup::timeline

#include "timeline/budget.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "base/quoted.h"
#include "base/text.h"
#include "timeline/milestones.h"

namespace sunup::timeline {
namespace {

bool is_known(std::string_view id) {
  return find_milestone(id) != nullptr || is_step_end(id);
}

}  // namespace

Result<Budget> parse_budget(std::string_view text) {
  Budget budget;
  for (int number = 1; !text.empty(); ++number) {
    auto parts = words(take_until(text, '\n'));
    parts.erase(std::ranges::find_if(parts, [](std::string_view word) { return word.starts_with('#'); }), parts.end());
    if (parts.empty()) continue;
    const auto wrong = [number](const std::string& what) { return Error(fmt::format("line {}: {}", number, what)); };
    if (parts.size() != 2) return wrong("expected a milestone and seconds, such as `node.ready 12.5s`");
    if (parts[0] == "zero") {
      if (!is_known(parts[1])) return wrong(fmt::format("'{}' is not a milestone", parts[1]));
      budget.zero = parts[1];
      continue;
    }
    if (!is_known(parts[0])) return wrong(fmt::format("'{}' is not a milestone", parts[0]));
    std::string_view digits = parts[1];
    if (digits.ends_with('s')) digits.remove_suffix(1);
    double seconds = 0;
    const auto [stop, error] = std::from_chars(digits.data(), digits.data() + digits.size(), seconds);
    if (error != std::errc() || stop != digits.data() + digits.size() || !std::isfinite(seconds))
      return wrong(fmt::format("'{}' is not a number of seconds", parts[1]));
    budget.lines.push_back({std::string(parts[0]), seconds});
  }
  if (budget.lines.empty()) return Error("the budget is empty");
  return budget;
}

BudgetReport check_budget(const Budget& budget, const Group& group) {
  BudgetReport report;
  for (const Run& run : group.runs) {
    if (run.state == RunState::kSucceeded) continue;
    report.kept = false;
    report.text += fmt::format("FAIL  {}: the run's state is '{}', only a successful run can meet a budget\n",
                               one_line(run.name), to_string(run.state));
  }
  for (const Budget::Line& line : budget.lines) {
    const auto figures = figures_of(group, line.id);
    const bool whole = figures && figures->runs == group.runs.size();
    const bool kept = whole && figures->median <= line.seconds;
    report.kept = report.kept && kept;
    std::string got = "did not happen in any successful run";
    if (figures) got = fmt::format("{:+.3f}s", figures->median);
    if (figures && !whole) got += fmt::format(", and in only {} of {} runs", figures->runs, group.runs.size());
    report.text += fmt::format("{:<5} {:<28} {} (budget {:+.3f}s)\n", kept ? "ok" : "LATE", line.id, got, line.seconds);
  }
  return report;
}

}  // namespace sunup::timeline

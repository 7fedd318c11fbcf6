#include "timeline/compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "timeline/own_time.h"
#include "timeline/rank_sum.h"

namespace sunup::timeline {
namespace {

constexpr double kChance = 0.05;
constexpr double kMatters = 0.001;  // differences below a millisecond are not shown

// Sorted: its times in the comparable runs, and its own time in each of them.
struct Times {
  std::vector<double> at = {};
  std::vector<double> own = {};
};

std::map<std::string, Times> times_of(const Group& group) {
  std::map<std::string, Times> all;
  for (const Run& run : group.runs) {
    if (!run.comparable()) continue;
    const std::vector<OwnTime> own = own_times(run);
    for (size_t i = 0; i < own.size(); ++i) {
      Times& times = all[run.moments[i].id];
      times.at.push_back(run.moments[i].at);
      times.own.push_back(own[i].seconds);
    }
  }
  for (auto& [id, times] : all) {
    std::ranges::sort(times.at);
    std::ranges::sort(times.own);
  }
  return all;
}

double median_of(const std::vector<double>& sorted) {
  const size_t middle = sorted.size() / 2;
  return sorted.size() % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

std::optional<Figures> figures_of(const Times& times) {
  if (times.at.empty()) return std::nullopt;
  return Figures{
      .runs = times.at.size(), .median = median_of(times.at), .low = times.at.front(), .high = times.at.back()};
}

Change change_of(const Times& before, const Times& after, size_t index) {
  Change change{.group = index};
  change.figures = figures_of(after);
  if (before.at.empty() || after.at.empty()) {
    change.judgement = Judgement::kOnlyOne;
    return change;
  }
  change.by = median_of(after.at) - median_of(before.at);
  change.own = median_of(after.own) - median_of(before.own);
  change.p = rank_sum_p(before.at, after.at);
  change.own_p = rank_sum_p(before.own, after.own);
  if (smallest_rank_sum_p(before.at.size(), after.at.size()) > kChance) change.judgement = Judgement::kTooFew;
  return change;
}

const ComparedMoment* goal_of(const Comparison& comparison, size_t index) {
  const ComparedMoment* last = nullptr;
  for (const ComparedMoment& moment : comparison.moments) {
    if (moment.changes[index].judgement == Judgement::kOnlyOne) continue;
    if (moment.id == "node.ready") return &moment;
    last = &moment;
  }
  return last;
}

// Whether the goal moved is a single test, chosen in advance. The other tests are as many as there are moments, and of
// forty tests about two are below 0.05 by chance, so their p values are corrected. Tests that could not reach
// significance are not counted.
void judge(Comparison& comparison, size_t index, const std::string& goal) {
  std::vector<Change*> others;
  std::vector<double> p;
  for (ComparedMoment& moment : comparison.moments) {
    Change& change = moment.changes[index];
    if (change.judgement == Judgement::kOnlyOne || moment.id == goal) continue;
    const Figures& other = *change.figures;
    const bool constant = moment.base->low == moment.base->high && other.low == other.high && change.by == 0;
    if (constant) continue;
    others.push_back(&change);
    p.push_back(change.p);
  }
  const std::vector<double> corrected = corrected_for_number(p);
  for (size_t i = 0; i < others.size(); ++i) others[i]->p = corrected[i];
  for (ComparedMoment& moment : comparison.moments) {
    Change& change = moment.changes[index];
    if (change.judgement != Judgement::kNoise || change.p > kChance || std::abs(change.by) < kMatters) continue;
    change.judgement = change.by < 0 ? Judgement::kFaster : Judgement::kSlower;
  }
}

// The moments that the goal waited for in any of the runs.
std::set<std::string> ways_to(const std::string& goal, const Group& base, const Group& other) {
  std::set<std::string> ways;
  for (const Group* group : {&base, &other})
    for (const Run& run : group->runs)
      if (run.comparable()) ways.merge(way_to(run, goal));
  return ways;
}

// The reason why the goal moved: of the moments that it waited for and whose own time changed in the same direction,
// the one with the largest change. Determined only if the goal did move, so that noise gets no reason.
const ComparedMoment* mover_of(const Comparison& comparison, size_t index, const ComparedMoment& goal,
                               const std::set<std::string>& ways) {
  const Change& end = goal.changes[index];
  if (end.judgement != Judgement::kFaster && end.judgement != Judgement::kSlower) return nullptr;
  const ComparedMoment* largest = nullptr;
  for (const ComparedMoment& moment : comparison.moments) {
    const Change& change = moment.changes[index];
    if (change.judgement == Judgement::kOnlyOne || change.own_p > kChance || !ways.contains(moment.id)) continue;
    if (std::abs(change.own) < kMatters || (change.own < 0) != (end.by < 0)) continue;
    if (moment.base->median < 0) continue;  // before the zero of the time axis
    if (largest == nullptr || std::abs(change.own) > std::abs(largest->changes[index].own)) largest = &moment;
  }
  return largest;
}

std::string verdict(const Comparison& comparison, size_t index, const ComparedMoment* goal,
                    const std::set<std::string>& ways) {
  if (goal == nullptr) {
    const size_t failed = comparison.failed[index + 1];
    const std::string why =
        failed == 0 ? "" : fmt::format(" ({} of {} runs failed)", failed, comparison.runs[index + 1]);
    return fmt::format("{}: nothing in common{}", comparison.groups[index + 1], why);
  }
  const Change& end = goal->changes[index];
  std::string text =
      fmt::format("{}: {} {:+.3f}s ({})", comparison.groups[index + 1], goal->label, end.by, to_string(end.judgement));
  if (const ComparedMoment* largest = mover_of(comparison, index, *goal, ways); largest != nullptr)
    text += fmt::format("; largest own change: {} {:+.3f}s", largest->label, largest->changes[index].own);
  return text;
}

}  // namespace

std::string_view to_string(Judgement judgement) {
  switch (judgement) {
    case Judgement::kFaster:
      return "faster";
    case Judgement::kSlower:
      return "slower";
    case Judgement::kNoise:
      return "noise";
    case Judgement::kTooFew:
      return "too few runs to tell";
    case Judgement::kOnlyOne:
      return "not in both";
  }
  return "";
}

std::optional<Figures> figures_of(const Group& group, const std::string& id) {
  Times times;
  for (const Run& run : group.runs)
    for (const Moment& moment : run.moments)
      if (run.comparable() && moment.id == id) times.at.push_back(moment.at);
  std::ranges::sort(times.at);
  return figures_of(times);
}

Comparison compare(const std::vector<Group>& groups) {
  Comparison comparison;
  std::vector<std::pair<std::string, std::string>> ids;  // with labels, each once
  std::map<std::string, bool> seen;
  for (const Group& group : groups) {
    comparison.groups.push_back(group.name);
    comparison.runs.push_back(group.runs.size());
    const auto with = [&group](RunState state) {
      return static_cast<size_t>(std::ranges::count(group.runs, state, &Run::state));
    };
    comparison.failed.push_back(with(RunState::kFailed));
    comparison.unfinished.push_back(with(RunState::kRunning) + with(RunState::kCutOff) + with(RunState::kDryRun));
    for (const Run& run : group.runs)
      for (const Moment& moment : run.moments)
        if (run.comparable() && !std::exchange(seen[moment.id], true)) ids.emplace_back(moment.id, moment.label);
  }
  std::vector<std::map<std::string, Times>> times;
  for (const Group& group : groups) times.push_back(times_of(group));
  for (const auto& [id, label] : ids) {
    ComparedMoment moment{.id = id, .label = label};
    moment.base = figures_of(times.front()[id]);
    for (size_t i = 1; i < groups.size(); ++i) moment.changes.push_back(change_of(times.front()[id], times[i][id], i));
    comparison.moments.push_back(std::move(moment));
  }
  std::ranges::stable_sort(comparison.moments, {}, [](const ComparedMoment& moment) {
    if (moment.base) return moment.base->median;
    for (const Change& change : moment.changes)
      if (change.figures) return change.figures->median;
    return 0.0;
  });
  for (size_t i = 0; i + 1 < groups.size(); ++i) {
    const ComparedMoment* goal = goal_of(comparison, i);
    comparison.goals.push_back(goal == nullptr ? "" : goal->id);
    judge(comparison, i, comparison.goals.back());
    const auto ways = ways_to(comparison.goals.back(), groups.front(), groups[i + 1]);
    comparison.verdicts.push_back(verdict(comparison, i, goal, ways));
  }
  return comparison;
}

}  // namespace sunup::timeline

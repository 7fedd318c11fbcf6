#include "timeline/compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

namespace sunup::timeline {
namespace {

constexpr double kChance = 0.05;
constexpr double kMatters = 0.001;  // below a millisecond nothing is worth a line

std::vector<double> times_of(const Group& group, const std::string& id) {
  std::vector<double> times;
  for (const Run& run : group.runs)
    for (const Moment& moment : run.moments)
      if (run.comparable() && moment.id == id) times.push_back(moment.at);
  std::ranges::sort(times);
  return times;
}

double median_of(const std::vector<double>& sorted) {
  const size_t middle = sorted.size() / 2;
  return sorted.size() % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

// The best that a test of so many runs could ever say.
double smallest_p(size_t a, size_t b) {
  double ways = 1;  // a+b choose a
  for (size_t i = 1; i <= std::min(a, b); ++i)
    ways *= static_cast<double>(a + b - std::min(a, b) + i) / static_cast<double>(i);
  return std::min(1.0, 2 / ways);
}

Change change_of(const Group& base, const Group& other, size_t index, const std::string& id) {
  Change change{.group = index};
  const auto before = times_of(base, id);
  const auto after = times_of(other, id);
  change.figures = figures_of(other, id);
  if (before.empty() || after.empty()) {
    change.judgement = Judgement::kOnlyOne;
    return change;
  }
  change.by = median_of(after) - median_of(before);
  change.p = rank_sum_p(before, after);
  if (smallest_p(before.size(), after.size()) > kChance)
    change.judgement = Judgement::kTooFew;
  else if (change.p > kChance || std::abs(change.by) < kMatters)
    change.judgement = Judgement::kNoise;
  else
    change.judgement = change.by < 0 ? Judgement::kFaster : Judgement::kSlower;
  return change;
}

std::string verdict(const Comparison& comparison, size_t index) {
  const ComparedMoment* largest = nullptr;
  const ComparedMoment* last = nullptr;
  for (const ComparedMoment& moment : comparison.moments) {
    const Change& change = moment.changes[index];
    if (change.judgement == Judgement::kOnlyOne) continue;
    if (moment.id == "node.ready" || last == nullptr || last->id != "node.ready") last = &moment;
    if (change.judgement != Judgement::kFaster && change.judgement != Judgement::kSlower) continue;
    if (largest == nullptr || std::abs(change.own) > std::abs(largest->changes[index].own)) largest = &moment;
  }
  if (last == nullptr) {
    const size_t failed = comparison.failed[index + 1];
    const std::string why =
        failed == 0 ? "" : fmt::format(" ({} of {} runs failed)", failed, comparison.runs[index + 1]);
    return fmt::format("{}: nothing in common{}", comparison.groups[index + 1], why);
  }
  const Change& end = last->changes[index];
  std::string text =
      fmt::format("{}: {} {:+.3f}s ({})", comparison.groups[index + 1], last->label, end.by, to_string(end.judgement));
  if (largest != nullptr)
    text += fmt::format("; what moved most by itself: {} {:+.3f}s", largest->label, largest->changes[index].own);
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

Run run_of(std::string name, const Timeline& timeline) {
  Run run{.name = std::move(name), .moments = {}, .state = timeline.state};
  for (const Point& point : timeline.points)
    if (point.milestone) run.moments.push_back({point.id, point.label, timeline.seconds(point.at)});
  for (const Span& span : timeline.spans) {
    const Point& end = timeline.points[span.end];
    const bool is_step = span.kind == SpanKind::kStep || span.kind == SpanKind::kScript;
    if (!is_step || end.milestone || span.state != SpanState::kDone || span.depth > 0) continue;
    run.moments.push_back({end.id, span.name + " done", timeline.seconds(end.at)});
  }
  std::ranges::stable_sort(run.moments, {}, &Moment::at);
  return run;
}

std::optional<Figures> figures_of(const Group& group, const std::string& id) {
  const auto times = times_of(group, id);
  if (times.empty()) return std::nullopt;
  return Figures{.runs = times.size(), .median = median_of(times), .low = times.front(), .high = times.back()};
}

double rank_sum_p(const std::vector<double>& a, const std::vector<double>& b) {
  std::vector<std::pair<double, bool>> all;
  for (const double value : a) all.emplace_back(value, true);
  for (const double value : b) all.emplace_back(value, false);
  std::ranges::sort(all, {}, [](const auto& one) { return one.first; });
  // Twice the rank, so that the middle rank of a tie is a whole number.
  std::vector<size_t> ranks(all.size());
  for (size_t i = 0; i < all.size();) {
    size_t end = i;
    while (end < all.size() && all[end].first == all[i].first) ++end;
    for (size_t j = i; j < end; ++j) ranks[j] = i + end + 1;
    i = end;
  }
  size_t ours = 0;
  size_t total = 0;
  for (size_t i = 0; i < all.size(); ++i) {
    total += ranks[i];
    if (all[i].second) ours += ranks[i];
  }
  // ways[k][s]: in how many ways k of the values have the rank sum s.
  std::vector<std::vector<double>> ways(a.size() + 1, std::vector<double>(total + 1));
  ways[0][0] = 1;
  for (const size_t rank : ranks)
    for (size_t k = a.size(); k > 0; --k)
      for (size_t sum = total; sum >= rank; --sum) ways[k][sum] += ways[k - 1][sum - rank];
  const double expected = static_cast<double>(total) * static_cast<double>(a.size()) / static_cast<double>(all.size());
  const double off = std::abs(static_cast<double>(ours) - expected);
  double as_uneven = 0;
  double every = 0;
  for (size_t sum = 0; sum <= total; ++sum) {
    every += ways[a.size()][sum];
    if (std::abs(static_cast<double>(sum) - expected) >= off - 1e-9) as_uneven += ways[a.size()][sum];
  }
  return every > 0 ? as_uneven / every : 1;
}

Comparison compare(const std::vector<Group>& groups) {
  Comparison comparison;
  std::vector<std::pair<std::string, std::string>> ids;  // and labels, each once
  std::map<std::string, bool> seen;
  for (const Group& group : groups) {
    comparison.groups.push_back(group.name);
    comparison.runs.push_back(group.runs.size());
    const auto with = [&group](RunState state) {
      return static_cast<size_t>(std::ranges::count(group.runs, state, &Run::state));
    };
    comparison.failed.push_back(with(RunState::kFailed));
    comparison.unfinished.push_back(with(RunState::kRunning) + with(RunState::kCutOff));
    for (const Run& run : group.runs)
      for (const Moment& moment : run.moments)
        if (run.comparable() && !std::exchange(seen[moment.id], true)) ids.emplace_back(moment.id, moment.label);
  }
  for (const auto& [id, label] : ids) {
    ComparedMoment moment{.id = id, .label = label};
    moment.base = figures_of(groups.front(), id);
    for (size_t i = 1; i < groups.size(); ++i) moment.changes.push_back(change_of(groups.front(), groups[i], i, id));
    comparison.moments.push_back(std::move(moment));
  }
  std::ranges::stable_sort(comparison.moments, {}, [](const ComparedMoment& moment) {
    if (moment.base) return moment.base->median;
    for (const Change& change : moment.changes)
      if (change.figures) return change.figures->median;
    return 0.0;
  });
  // What a moment adds to the change of the one before it.
  for (size_t i = 0; i + 1 < groups.size(); ++i) {
    double carried = 0;
    for (ComparedMoment& moment : comparison.moments) {
      Change& change = moment.changes[i];
      if (change.judgement == Judgement::kOnlyOne) continue;
      change.own = change.by - carried;
      carried = change.by;
    }
    comparison.verdicts.push_back(verdict(comparison, i));
  }
  return comparison;
}

}  // namespace sunup::timeline

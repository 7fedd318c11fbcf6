#include "engine/graph.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <queue>
#include <set>

#include "base/nearest.h"

namespace sunup::engine {
namespace {

std::string suggestion(const std::string& name, const std::map<std::string, size_t>& providers) {
  std::vector<std::string_view> known;
  for (const auto& [provided, step] : providers) known.push_back(provided);
  const auto near = nearest(name, known);
  return near ? fmt::format(" (did you mean '{}'?)", *near) : "";
}

// The relation "comes before" as a bit matrix with one row per step.
class Reach {
 public:
  explicit Reach(size_t n) : words_((n + 63) / 64), bits_(n * words_) {}
  void add(size_t row, size_t bit) { bits_[row * words_ + bit / 64] |= uint64_t{1} << (bit % 64); }
  void merge(size_t row, size_t from) {
    for (size_t w = 0; w < words_; ++w) bits_[row * words_ + w] |= bits_[from * words_ + w];
  }
  bool has(size_t row, size_t bit) const { return (bits_[row * words_ + bit / 64] >> (bit % 64)) & 1; }

 private:
  size_t words_;
  std::vector<uint64_t> bits_;
};

}  // namespace

struct Graph::Problems {
  std::vector<std::string> texts = {};
  std::set<size_t> steps = {};  // that they are about

  void add(std::string text, const std::vector<size_t>& about) {
    texts.push_back(std::move(text));
    steps.insert(about.begin(), about.end());
  }
};

std::string_view to_string(Rank rank) {
  switch (rank) {
    case Rank::kCritical:
      return "critical";
    case Rank::kCompletion:
      return "completion";
    case Rank::kDeferred:
      return "deferred";
  }
  return "";
}

Result<Graph> Graph::make(std::vector<Step> steps, std::string milestone, std::set<std::string>* involved) {
  Graph graph;
  graph.steps_ = std::move(steps);
  graph.milestone_ = std::move(milestone);
  Problems problems;
  graph.link(&problems);
  if (problems.texts.empty()) graph.sort(&problems);
  if (problems.texts.empty()) {
    graph.rank_steps();
    graph.check_ranks(&problems);
    graph.order_resources(&problems);
  }
  if (!problems.texts.empty()) {
    if (involved != nullptr)
      for (const size_t step : problems.steps) involved->insert(graph.steps_[step].name);
    return Error(fmt::format("{}", fmt::join(problems.texts, "\n")));
  }
  return graph;
}

void Graph::link(Problems* problems) {
  std::map<std::string, size_t> providers;
  auto provide = [&](const std::string& name, size_t by) {
    const auto [at, fresh] = providers.emplace(name, by);
    if (!fresh && at->second != by)
      problems->add(
          fmt::format("'{}' is provided by both '{}' and '{}'", name, steps_[at->second].name, steps_[by].name),
          {at->second, by});
  };
  std::set<std::string> names;
  for (size_t i = 0; i < steps_.size(); ++i) {
    const Step& step = steps_[i];
    if (step.name.empty()) problems->add(fmt::format("step number {} has no name", i + 1), {i});
    if (!names.insert(step.name).second) problems->add(fmt::format("two steps are called '{}'", step.name), {i});
    if (!step.run) problems->add(fmt::format("step '{}' has no body", step.name), {i});
    if (step.deadline <= Duration::zero()) problems->add(fmt::format("step '{}' has no deadline", step.name), {i});
    if (step.retry.attempts < 1) problems->add(fmt::format("step '{}' is never attempted", step.name), {i});
    provide(step.name, i);
    for (const std::string& name : step.provides) provide(name, i);
  }

  before_.assign(steps_.size(), {});
  followers_.assign(steps_.size(), {});
  for (size_t i = 0; i < steps_.size(); ++i) {
    std::map<size_t, bool> edges;  // provider -> needed
    for (const std::string& name : steps_[i].needs) {
      const auto found = providers.find(name);
      if (found == providers.end())
        problems->add(fmt::format("step '{}' needs '{}', which no step provides{}", steps_[i].name, name,
                                  suggestion(name, providers)),
                      {i});
      else
        edges[found->second] = true;
    }
    for (const std::string& name : steps_[i].after)
      if (const auto found = providers.find(name); found != providers.end()) edges.emplace(found->second, false);
    for (const auto& [from, needed] : edges) {
      before_[i].push_back({from, needed});
      followers_[from].push_back(i);
    }
  }
  milestone_step_ = steps_.size();
  if (!milestone_.empty()) {
    if (const auto found = providers.find(milestone_); found != providers.end())
      milestone_step_ = found->second;
    else
      problems->add(fmt::format("no step provides the milestone '{}'{}", milestone_, suggestion(milestone_, providers)),
                    {});
  }
}

void Graph::sort(Problems* problems) {
  order_.clear();
  std::vector<size_t> waiting(steps_.size());
  std::priority_queue<size_t, std::vector<size_t>, std::greater<>> ready;
  for (size_t i = 0; i < steps_.size(); ++i) {
    waiting[i] = before_[i].size();
    if (waiting[i] == 0) ready.push(i);
  }
  while (!ready.empty()) {
    const size_t next = ready.top();
    ready.pop();
    order_.push_back(next);
    for (const size_t follower : followers_[next])
      if (--waiting[follower] == 0) ready.push(follower);
  }
  if (order_.size() == steps_.size()) return;

  // Every remaining step waits for another remaining step, so walking backwards finds a cycle.
  std::vector<size_t> way;
  std::vector<bool> seen(steps_.size());
  size_t at = 0;
  while (waiting[at] == 0) ++at;
  while (!seen[at]) {
    seen[at] = true;
    way.push_back(at);
    for (const Edge& edge : before_[at])
      if (waiting[edge.step] != 0) {
        at = edge.step;
        break;
      }
  }
  way.erase(way.begin(), std::find(way.begin(), way.end(), at));
  std::string cycle = fmt::format("'{}'", steps_[way.front()].name);
  for (size_t i = 1; i <= way.size(); ++i) cycle += fmt::format(" waits for '{}'", steps_[way[i % way.size()]].name);
  problems->add("the steps form a cycle: " + cycle, way);
}

void Graph::rank_steps() {
  ranks_.assign(steps_.size(), Rank::kCompletion);
  for (size_t i = 0; i < steps_.size(); ++i)
    if (steps_[i].phase == Phase::kDeferred) ranks_[i] = Rank::kDeferred;
  if (milestone_step_ == steps_.size()) return;
  std::vector<size_t> open = {milestone_step_};
  std::vector<bool> seen(steps_.size());
  while (!open.empty()) {
    const size_t at = open.back();
    open.pop_back();
    if (seen[at]) continue;
    seen[at] = true;
    if (ranks_[at] != Rank::kDeferred) ranks_[at] = Rank::kCritical;
    for (const Edge& edge : before_[at]) open.push_back(edge.step);
  }
}

void Graph::check_ranks(Problems* problems) const {
  for (size_t i = 0; i < steps_.size(); ++i)
    for (const Edge& edge : before_[i]) {
      const Step& from = steps_[edge.step];
      if (steps_[i].phase != Phase::kDeferred && from.phase == Phase::kDeferred)
        problems->add(fmt::format("step '{}' waits for '{}', which is deferred: defer both or neither", steps_[i].name,
                                  from.name),
                      {i, edge.step});
      else if (edge.needed && steps_[i].fatal && steps_[i].phase != Phase::kDeferred && !from.fatal)
        problems->add(
            fmt::format("step '{}' needs '{}', whose failure is not fatal: use 'after', make the latter fatal, or make "
                        "the former not fatal",
                        steps_[i].name, from.name),
            {i, edge.step});
    }
  if (milestone_step_ < steps_.size() && steps_[milestone_step_].phase == Phase::kDeferred)
    problems->add(fmt::format("the milestone '{}' is provided by a deferred step", milestone_), {milestone_step_});
}

void Graph::order_resources(Problems* problems) {
  // Deferred steps start after the milestone, which is an order too. No other step waits for them, so they go last
  // here.
  std::vector<size_t> order = order_;
  std::stable_partition(order.begin(), order.end(), [&](size_t step) { return ranks_[step] != Rank::kDeferred; });
  Reach before(steps_.size());
  for (const size_t step : order) {
    auto follow = [&](size_t from) {
      before.add(step, from);
      before.merge(step, from);
    };
    for (const Edge& edge : before_[step]) follow(edge.step);
    if (ranks_[step] == Rank::kDeferred && milestone_step_ < steps_.size()) follow(milestone_step_);
  }
  std::map<std::string, std::vector<size_t>> users;
  for (size_t i = 0; i < steps_.size(); ++i) {
    std::set<std::string> mine(steps_[i].touches.begin(), steps_[i].touches.end());
    for (const FileEffect& file : steps_[i].files) mine.insert("file " + file.path);
    for (const std::string& unit : steps_[i].units) mine.insert("unit " + unit);
    for (const std::string& resource : mine) users[resource].push_back(i);
  }
  for (const auto& [resource, list] : users)
    for (size_t a = 0; a < list.size(); ++a)
      for (size_t b = a + 1; b < list.size(); ++b) {
        const size_t first = before.has(list[b], list[a]) ? list[a] : list[b];
        const size_t second = first == list[a] ? list[b] : list[a];
        if (!before.has(second, first))
          problems->add(fmt::format("steps '{}' and '{}' both change {} and are not ordered", steps_[list[a]].name,
                                    steps_[list[b]].name, resource),
                        {list[a], list[b]});
        else if (ranks_[second] == Rank::kDeferred)
          add_order(first, second);
      }
  // So far only the milestone orders these steps. With the added edge, a deferred step also runs again if the file that
  // it overwrites has been written again.
  if (problems->texts.empty()) sort(problems);
}

void Graph::add_order(size_t first, size_t second) {
  for (const Edge& edge : before_[second])
    if (edge.step == first) return;
  before_[second].push_back({first, false});
  followers_[first].push_back(second);
}

std::vector<Graph::Remaining> Graph::remaining(const Profile& profile) const {
  std::vector<Remaining> left(steps_.size());
  for (auto at = order_.rbegin(); at != order_.rend(); ++at) {
    Duration to_milestone = *at == milestone_step_ ? Duration::zero() : Duration(-1);
    Duration to_end = Duration::zero();
    for (const size_t follower : followers_[*at]) {
      to_milestone = std::max(to_milestone, left[follower].to_milestone);
      to_end = std::max(to_end, left[follower].to_end);
    }
    const Duration weight = profile.weight(steps_[*at].name);
    left[*at] = {to_milestone < Duration::zero() ? to_milestone : to_milestone + weight, to_end + weight};
  }
  return left;
}

std::vector<size_t> Graph::priorities(const Profile& profile) const {
  const std::vector<Remaining> left = remaining(profile);
  std::vector<size_t> urgent(steps_.size());
  std::iota(urgent.begin(), urgent.end(), size_t{0});
  std::stable_sort(urgent.begin(), urgent.end(), [&](size_t a, size_t b) {
    if (ranks_[a] != ranks_[b]) return ranks_[a] < ranks_[b];
    if (left[a].to_milestone != left[b].to_milestone) return left[a].to_milestone > left[b].to_milestone;
    return left[a].to_end > left[b].to_end;
  });
  std::vector<size_t> place(steps_.size());
  for (size_t i = 0; i < urgent.size(); ++i) place[urgent[i]] = i;
  return place;
}

std::vector<size_t> Graph::critical_path(const Profile& profile) const {
  if (steps_.empty()) return {};
  const std::vector<Remaining> left = remaining(profile);
  const bool has_milestone = milestone_step_ < steps_.size();
  auto length = [&](size_t step) { return has_milestone ? left[step].to_milestone : left[step].to_end; };
  auto longest = [&](const std::vector<size_t>& among, auto&& allowed) {
    size_t best = steps_.size();
    for (const size_t step : among)
      if (allowed(step) && length(step) >= Duration::zero() && (best == steps_.size() || length(step) > length(best)))
        best = step;
    return best;
  };
  std::vector<size_t> every(steps_.size());
  std::iota(every.begin(), every.end(), size_t{0});
  std::vector<size_t> path;
  size_t at = longest(every, [&](size_t step) { return before_[step].empty() && ranks_[step] != Rank::kDeferred; });
  while (at != steps_.size()) {
    path.push_back(at);
    if (at == milestone_step_) break;
    at = longest(followers_[at], [&](size_t step) { return ranks_[step] != Rank::kDeferred; });
  }
  return path;
}

}  // namespace sunup::engine

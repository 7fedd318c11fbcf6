#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "base/json_member.h"
#include "timeline/compare.h"

namespace sunup::timeline {
namespace {

using nlohmann::json;

std::optional<double> number_of(const json& object, const char* name) {
  const json& value = member_of(object, name);
  if (!value.is_number()) return std::nullopt;
  return value.get<double>();
}

// Impossible times would give meaningless medians, so the run is refused. No machine is up for ten years.
bool is_time(double seconds) {
  constexpr double kMost = 10.0 * 366 * 86400;
  return std::isfinite(seconds) && std::abs(seconds) <= kMost;
}

RunState state_of(const json& document) {
  const std::string text = text_of(document, "state");
  for (const RunState state :
       {RunState::kRunning, RunState::kSucceeded, RunState::kFailed, RunState::kCutOff, RunState::kDryRun})
    if (text == to_string(state)) return state;
  return RunState::kUnknown;
}

const json& array_of(const json& object, const char* name) {
  static const json kNone = json::array();
  const json& value = member_of(object, name);
  return value.is_array() ? value : kNone;
}

void add_milestones(Run& run, const json& document) {
  for (const json& one : array_of(document, "milestones")) {
    const std::string id = text_of(one, "id");
    const auto at = number_of(one, "at");
    if (id.empty() || !at) continue;
    const std::string label = text_of(one, "label");
    run.moments.push_back({id, label.empty() ? id : label, *at});
  }
}

void add_steps(Run& run, const json& document) {
  std::map<std::string, int> seen;  // a script step may be repeated
  for (const json& one : array_of(document, "spans")) {
    const std::string name = text_of(one, "name");
    const std::string kind = text_of(one, "kind");
    const auto end = number_of(one, "end");
    if (name.empty() || !end || (kind != "step" && kind != "script")) continue;
    const std::string key = kind + ":" + name;
    const int nth = ++seen[key];
    if (number_of(one, "depth").value_or(0) > 0 || text_of(one, "state") != to_string(SpanState::kDone)) continue;
    run.moments.push_back(
        {fmt::format("{}{}:end", key, nth == 1 ? "" : fmt::format("#{}", nth)), name + " done", *end});
  }
}

// What a moment waited for: from the chain, otherwise the steps that provide what it needs, otherwise the table in
// milestones.h.
void add_waits(Run& run, const json& document) {
  std::set<std::string, std::less<>> moments;
  for (const Moment& moment : run.moments) moments.insert(moment.id);
  std::map<std::string, std::string> chain;  // to and from
  for (const json& link : array_of(document, "chain")) chain.emplace(text_of(link, "to"), text_of(link, "from"));
  std::map<std::string, std::vector<std::string>> providers;  // of the facts and steps that a step may need
  for (const json& span : array_of(document, "spans")) {
    if (text_of(span, "kind") != "step") continue;
    const std::string name = text_of(span, "name");
    providers[name].push_back("step:" + name + ":end");
    for (const json& fact : array_of(span, "provides"))
      if (fact.is_string()) providers[fact.get<std::string>()].push_back("step:" + name + ":end");
  }
  std::map<std::string, std::vector<std::string>> needed;
  for (const json& span : array_of(document, "spans")) {
    if (text_of(span, "kind") != "step") continue;
    for (const json& need : array_of(span, "needs"))
      if (need.is_string())
        for (const std::string& id : providers[need.get<std::string>()])
          needed["step:" + text_of(span, "name") + ":end"].push_back(id);
  }
  for (Moment& moment : run.moments) {
    std::set<std::string> seen;
    auto link = chain.find(moment.id);
    while (link != chain.end() && !moments.contains(link->second) && seen.insert(link->second).second)
      link = chain.find(link->second);
    if (link != chain.end() && moments.contains(link->second))
      moment.after = {link->second};
    else if (const auto found = needed.find(moment.id); found != needed.end())
      moment.after = found->second;
  }
}

const Moment* find(const Run& run, std::string_view id) {
  const auto found = std::ranges::find(run.moments, id, &Moment::id);
  return found == run.moments.end() ? nullptr : &*found;
}

}  // namespace

Result<Run> run_of_json(std::string name, std::string_view text, const std::string& zero) {
  const json document = json::parse(text, nullptr, false);
  if (text_of(document, "schema") != "sunup.timeline/1")
    return Error(name + " is not a timeline (`sunup timeline DIR --format json` creates one)");
  Run run{.name = std::move(name), .moments = {}, .state = state_of(document)};
  add_milestones(run, document);
  add_steps(run, document);
  for (const Moment& moment : run.moments)
    if (!is_time(moment.at))
      return Error(fmt::format("{}: '{}' has an impossible time ({})", run.name, moment.id, moment.at));
  // All runs must have the same zero, whatever the file's times are relative to.
  const Moment* from = nullptr;
  if (!zero.empty()) {
    from = find(run, zero);
    if (from == nullptr) return Error(fmt::format("{}: '{}' did not happen, so it cannot be the zero", run.name, zero));
  }
  for (const char* id : {"controller.start", "cse.start", "systemd.start"})
    if (from == nullptr) from = find(run, id);
  const double moved = from == nullptr ? 0 : from->at;
  add_waits(run, document);
  for (Moment& moment : run.moments) moment.at -= moved;
  std::ranges::stable_sort(run.moments, {}, &Moment::at);
  return run;
}

}  // namespace sunup::timeline

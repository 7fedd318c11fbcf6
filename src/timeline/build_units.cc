#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "timeline/boot_units.h"
#include "timeline/draft.h"
#include "timeline/milestones.h"

namespace sunup::timeline {
namespace {

constexpr Nanos kAtOnce = kSecond;  // on a machine under load

bool is_cloud_init(const std::string& unit) {
  return unit.starts_with("cloud-");
}

// The last start of a unit in this boot that is in the journal and not after `limit`.
std::optional<UnitTimes> from_journal(const Draft& draft, const std::string& unit, std::optional<Nanos> limit) {
  std::optional<UnitTimes> times;
  Nanos starting = 0;
  for (const JournalEntry& entry : draft.journal) {
    if (!entry.by_manager || entry.unit != unit || (limit && entry.monotonic > *limit)) continue;
    if (entry.message_id == kUnitStarting) {
      starting = entry.monotonic;
    } else if (entry.message_id == kUnitStarted) {
      times = UnitTimes{.name = unit};
      times->active = "active";
      times->begin = starting != 0 ? starting : entry.monotonic;
      times->begin_known = starting != 0;
      times->active_at = entry.monotonic;
      starting = 0;
    } else if (entry.message_id == kUnitFailed) {
      times = UnitTimes{.name = unit};
      times->active = "failed";
      times->begin = starting != 0 ? starting : entry.monotonic;
      times->begin_known = starting != 0;
      times->inactive_at = entry.monotonic;
      starting = 0;
    }
  }
  if (starting != 0 && (!times || starting > times->begin)) {
    times = UnitTimes{.name = unit};
    times->active = "activating";
    times->begin = starting;
  }
  if (times) times->source = "journal";
  return times;
}

// systemd only keeps the last start. If a unit was started again after the node was ready (an update, a crash weeks
// later), the times of the journal are used instead.
std::vector<UnitTimes> all_units(const Draft& draft) {
  const auto ready = first_node_ready(draft);
  std::vector<UnitTimes> all;
  std::map<std::string, bool> known;
  for (const UnitTimes& unit : draft.manager.units) {
    // If two names of one unit are queried, systemctl shows the unit twice under its own name.
    if (std::exchange(known[unit.name], true)) continue;
    if (ready && unit.begin > *ready && unit.name.ends_with(".service")) {
      if (auto earlier = from_journal(draft, unit.name, ready)) {
        earlier->after = unit.after;
        earlier->knows_after = unit.knows_after;
        all.push_back(std::move(*earlier));
        continue;
      }
    }
    all.push_back(unit);
  }
  for (const BootUnit& unit : kBootUnits)
    if (!known[unit.name])
      if (auto times = from_journal(draft, unit.name, ready)) all.push_back(std::move(*times));
  return all;
}

void add_unit(Draft& draft, const UnitTimes& unit) {
  Timeline& timeline = draft.timeline;
  const std::string begin_id = unit_begin_id(unit.name);
  const std::string active_id = unit_active_id(unit.name);
  Span span;
  span.name = unit.name;
  span.kind = is_cloud_init(unit.name) ? SpanKind::kStage : SpanKind::kUnit;
  span.needs = unit.after;
  if (unit.restarts > 0) span.notes.push_back(fmt::format("systemd restarted it {} times", unit.restarts));
  Nanos end = unit.active_at;
  if (end < unit.begin) {  // it is not active since its last start
    end = std::max(unit.begin, unit.inactive_at);
    span.state = unit.active == "failed" ? SpanState::kFailed : SpanState::kRunning;
    if (span.state == SpanState::kFailed) span.error = unit.result;
  }
  const auto point = [&](const std::string& id, std::string label, Nanos at, bool approximate) {
    Point made{.id = id, .label = std::move(label)};
    if (const MilestoneRule* rule = find_milestone(id)) {
      made.label = rule->label;
      made.milestone = true;
    }
    made.at = at;
    made.source = unit.source;
    made.approximate = approximate;
    return made;
  };
  // A unit that is not active does not have this milestone.
  const bool up = span.state == SpanState::kDone;
  timeline.add_span(
      std::move(span), point(begin_id, unit.name + " begun", unit.begin, !unit.begin_known),
      point(up ? active_id : "unit:" + unit.name + ":end", unit.name + (up ? " active" : " failed"), end, false));

  const bool is_kubelet = unit.name == "kubelet.service";
  if (is_kubelet || unit.name == "containerd.service") {
    const std::string started = is_kubelet ? "kubelet.started" : "containerd.started";
    // If the exact time is unknown: a simple service counts as started with its process, a notifying one immediately.
    const bool exact = unit.main_start != 0;
    const Nanos at = exact ? unit.main_start : is_kubelet ? unit.active_at : unit.begin;
    if (at != 0) draft.milestone(started, at, unit.source, !exact);
    timeline.add_wait(begin_id, started, fmt::format("{}'s preparations (ExecStartPre)", unit.name));
    timeline.add_wait(started, active_id, fmt::format("{} to report readiness", unit.name));
  } else {
    timeline.add_wait(begin_id, active_id, unit.name);
  }
}

// What requested the start: the step that names the unit, or the script step in which it began. If there is neither,
// the boot started the unit.
bool add_requests(Draft& draft, const UnitTimes& unit) {
  if (unit.name != "kubelet.service" && unit.name != "containerd.service") return false;
  Timeline& timeline = draft.timeline;
  const size_t before = timeline.waits.size();
  const std::string begin = unit_begin_id(unit.name);
  if (draft.record) {
    for (const RecordedStep& step : draft.record->steps) {
      if (std::ranges::find(step.units, unit.name) == step.units.end()) continue;
      timeline.add_wait("step:" + step.name + ":start", begin,
                        fmt::format("step {} to request it and systemd to start it", step.name));
      timeline.add_wait(unit_active_id(unit.name), "step:" + step.name + ":end",
                        fmt::format("step {} to be notified", step.name));
    }
    return timeline.waits.size() > before;
  }
  for (const Span& span : timeline.spans) {
    if (span.kind != SpanKind::kScript || span.depth != 0) continue;
    if (timeline.start_of(span) > unit.begin) continue;
    timeline.add_wait(timeline.points[span.start].id, begin, fmt::format("script step {} to request it", span.name));
  }
  return timeline.waits.size() > before;
}

}  // namespace

std::string unit_begin_id(const std::string& unit) {
  if (const BootUnit* known = find_boot_unit(unit); known != nullptr && !known->begin.empty())
    return std::string(known->begin);
  return "unit:" + unit + ":begin";
}

std::string unit_active_id(const std::string& unit) {
  if (const BootUnit* known = find_boot_unit(unit); known != nullptr && !known->active.empty())
    return std::string(known->active);
  return "unit:" + unit + ":active";
}

void add_units(Draft& draft) {
  const std::vector<UnitTimes> units = all_units(draft);
  for (const UnitTimes& unit : units) add_unit(draft, unit);
  for (const UnitTimes& unit : units) {
    Timeline& timeline = draft.timeline;
    const std::string begin = unit_begin_id(unit.name);
    const bool asked_for = add_requests(draft, unit);
    for (const std::string& other : unit.after) {
      // systemd starts a delayed unit immediately. If the other unit was active long before, the request came late.
      const auto up = timeline.find(unit_active_id(other));
      if (!up || (asked_for && unit.begin - timeline.points[*up].at > kAtOnce)) continue;
      timeline.add_wait(unit_active_id(other), begin, fmt::format("systemd, which orders it after {}", other));
    }
    timeline.add_wait("systemd.start", begin, "systemd's first units");
  }
  draft.timeline.add_wait(unit_active_id("containerd.service"), "kubelet.started",
                          "kubelet.service's pre-start, which waits for containerd's socket");
}

}  // namespace sunup::timeline

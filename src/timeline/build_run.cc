#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/node_paths.h"
#include "timeline/draft.h"

namespace sunup::timeline {
namespace {

constexpr std::string_view kCsePrefix = "AKS.CSE.";

std::string step_id(const std::string& name, std::string_view which) {
  return fmt::format("step:{}:{}", name, which);
}

Point end_point(std::string id, std::string label, Nanos at, std::string source) {
  Point point{.id = std::move(id), .label = std::move(label)};
  point.at = at;
  point.source = std::move(source);
  return point;
}

// A step that has started and not ended. In the record the run ends with its result; deferred steps continue.
bool goes_on(const Draft& draft, const RecordedStep& step) {
  if (draft.timeline.state == RunState::kRunning) return true;
  const bool this_boot =
      draft.sources.units_boot && journal_boot_id(*draft.sources.units_boot) == journal_boot_id(draft.record->boot);
  return step.rank == "deferred" && draft.sources.owes_deferred && this_boot;
}

void add_step(Draft& draft, const RecordedStep& step) {
  const RunRecord& record = *draft.record;
  if (!step.begun && !step.end) return;  // it never started: the plan shows such steps, the chart does not
  Span span;
  span.name = step.name;
  span.state = step.state;
  span.purpose = step.purpose;
  span.deferred = step.rank == "deferred";
  span.left_alone = step.left_alone;
  span.why = step.why;
  span.needs = step.needs;
  span.provides = step.provides;
  span.retries = step.retries;
  span.notes = step.notes;
  span.error = step.error;
  span.open = !step.end;
  if (span.open && !goes_on(draft, step)) {
    span.state = SpanState::kCancelled;
    span.notes.emplace_back("the run record ends before it does");
  }
  const std::string ending(to_string(span.state));
  const Nanos end = step.end.value_or(std::max(record.last, step.start));
  draft.timeline.add_span(
      std::move(span), end_point(step_id(step.name, "start"), step.name, step.start, "run record"),
      end_point(step_id(step.name, "end"), fmt::format("{} {}", step.name, ending), end, "run record"));
}

void add_native_steps(Draft& draft) {
  const RunRecord& record = *draft.record;
  Timeline& timeline = draft.timeline;
  std::map<std::string, std::string, std::less<>> provider;
  for (const RecordedStep& step : record.steps) {
    add_step(draft, step);
    provider[step.name] = step.name;
    for (const std::string& name : step.provides) provider[name] = step.name;
  }
  for (const RecordedStep& step : record.steps) {
    const std::string start = step_id(step.name, "start");
    std::string goes = step.retries.empty() ? "" : fmt::format(", {} attempts", step.attempts);
    if (step.begun && !step.end)
      goes += goes_on(draft, step) ? ", which is still running" : ", whose end was not recorded";
    timeline.add_wait(start, step_id(step.name, "end"), fmt::format("step {}{}", step.name, goes));
    timeline.add_wait("controller.start", start, "the controller to load its config and plan the steps");
    for (const auto* names : {&step.needs, &step.after}) {
      for (const std::string& name : *names) {
        const auto found = provider.find(name);
        if (found == provider.end()) continue;
        timeline.add_wait(step_id(found->second, "end"), start,
                          fmt::format("the event loop to start {}, which needed {}", step.name, name));
      }
    }
    if (step.rank != "deferred")  // nothing waits for deferred steps, even if one ends before the result
      timeline.add_wait(step_id(step.name, "end"), "provision.complete",
                        "all files to be synced to disk, then the result");
  }
}

// If the record is lost: the steps from the controller's guest-agent events, under the names that they have there.
void add_told_steps(Draft& draft) {
  constexpr std::string_view kCompleted = "Completed: ";
  Timeline& timeline = draft.timeline;
  for (const TimedEvent& event : draft.events) {
    if (event.by_script || !event.task.starts_with(kCsePrefix) || !event.message.starts_with(kCompleted)) continue;
    const auto start = draft.clocks.place(event.start);
    const auto end = draft.clocks.place(event.end);
    if (!start || !end || start->at + kSecond < draft.run_start) continue;
    Span span;
    span.name = event.message.substr(kCompleted.size());
    const std::string name = span.name;
    timeline.add_span(
        std::move(span), end_point(step_id(name, "start"), name, start->at, "guest-agent events"),
        end_point(step_id(name, "end"), name + " done", std::max(start->at, end->at), "guest-agent events"));
    timeline.add_wait(step_id(name, "start"), step_id(name, "end"), "step " + name);
    timeline.add_wait("controller.start", step_id(name, "start"),
                      "what step " + name + " needed, which was not recorded");
    timeline.add_wait(step_id(name, "end"), "provision.complete", "the controller publishing the result");
  }
}

// The image's scripts write an event for each step; steps can be nested.
void add_script_steps(Draft& draft) {
  Timeline& timeline = draft.timeline;
  struct Open {
    std::string id;
    Nanos end;
    std::string last_child;
  };
  std::vector<Open> open;
  std::string last_top;
  std::map<std::string, int> seen;
  for (const TimedEvent& event : draft.events) {
    if (!event.by_script || !event.task.starts_with(kCsePrefix)) continue;
    const auto start = draft.clocks.place(event.start);
    const auto end = draft.clocks.place(event.end);
    if (!start || !end || start->at + kSecond < draft.run_start) continue;
    std::string name = event.task.substr(kCsePrefix.size());
    if (name == "cse_start") {
      draft.milestone("cse.start", start->at, "guest-agent events", start->approximate);
      draft.milestone("cse.done", end->at, "guest-agent events", end->approximate);
      continue;
    }
    const int nth = ++seen[name];
    const std::string id = nth == 1 ? name : fmt::format("{}#{}", name, nth);
    while (!open.empty() && (event.end > open.back().end || event.start >= open.back().end)) open.pop_back();
    Span span;
    span.name = name;
    span.kind = SpanKind::kScript;
    span.depth = static_cast<int>(open.size());
    const std::string first = fmt::format("script:{}:start", id);
    const std::string last = fmt::format("script:{}:end", id);
    timeline.add_span(std::move(span), end_point(first, name, start->at, "guest-agent events"),
                      end_point(last, name + " done", std::max(start->at, end->at), "guest-agent events"));
    timeline.add_wait(first, last, fmt::format("script step {}", name));
    std::string& before = open.empty() ? last_top : open.back().last_child;
    if (!before.empty()) timeline.add_wait(before, first, "the script between its steps");
    if (!open.empty()) {
      timeline.add_wait(fmt::format("script:{}:start", open.back().id), first, fmt::format("step {}", open.back().id));
      timeline.add_wait(last, fmt::format("script:{}:end", open.back().id),
                        fmt::format("the rest of script step {}", open.back().id));
    }
    before = last;
    open.push_back({id, event.end, ""});
  }
  for (const Span& span : timeline.spans) {
    if (span.kind != SpanKind::kScript || span.depth != 0) continue;
    timeline.add_wait("cse.start", timeline.points[span.start].id, "the script's preparations");
    timeline.add_wait(timeline.points[span.end].id, "cse.done", "the end of the script");
  }
}

// Derived from files that only one of the two modes writes; empty if that is not conclusive.
std::string mode_of(const Draft& draft) {
  if (draft.logged && !draft.logged->mode.empty()) return draft.logged->mode;
  if (draft.result && !draft.result->failed_step.empty()) return "native";
  std::string mode;
  for (const TimedEvent& event : draft.events) {
    if (!event.task.starts_with(kCsePrefix)) continue;
    const auto start = draft.clocks.place(event.start);
    if (start && start->at + kSecond >= draft.run_start) mode = event.by_script ? "scripts" : "native";
  }
  return mode;
}

}  // namespace

void add_run(Draft& draft) {
  Timeline& timeline = draft.timeline;
  if (draft.record) {
    const RunRecord& record = *draft.record;
    timeline.version = record.version;
    timeline.mode = record.mode;
    draft.run_start = record.start;
    // The log has the start of the program; the record begins after the config is loaded and planned.
    std::optional<Placed> logged;
    if (draft.logged) logged = draft.clocks.place(draft.logged->start);
    if (logged && logged->at <= record.start && record.start - logged->at < 60 * kSecond)
      draft.milestone("controller.start", logged->at, paths::kLogName, logged->approximate);
    else
      draft.milestone("controller.start", record.start, "run record");
    if (record.end)
      draft.milestone("provision.complete", *record.end, "run record");
    else if (draft.logged && draft.logged->end)
      draft.milestone_at_wall("provision.complete", *draft.logged->end, paths::kLogName);
    for (const std::string& trouble : record.troubles) timeline.warnings.push_back("journal of steps: " + trouble);
    add_native_steps(draft);
    return;
  }
  if (timeline.state == RunState::kDryRun) {
    draft.milestone_at_wall("controller.start", *draft.dry_run, paths::kLogName);
    return;
  }
  std::optional<Nanos> start;
  std::optional<Nanos> end;
  std::string source = paths::kLogName;
  if (draft.logged) {
    start = draft.logged->start;
    end = draft.logged->end;
  }
  if (!start) {
    source = "guest-agent events";
    for (const TimedEvent& event : draft.events) {
      if (event.task != "AKS.AKSNodeController.Provision") continue;
      start = event.start;
      if (!event.message.starts_with("Starting")) end = event.end;
    }
  }
  if (const auto told = draft.result_start(); !start && told) {
    source = "provision.json";
    start = told;
    if (const auto took = draft.result_duration()) end = *start + *took;
  }
  if (start) {
    draft.milestone_at_wall("controller.start", *start, source);
    if (const auto placed = draft.clocks.place(*start)) draft.run_start = placed->at;
  }
  if (end) draft.milestone_at_wall("provision.complete", *end, source);
  timeline.mode = mode_of(draft);
  if (timeline.mode == "native") add_told_steps(draft);
  if (timeline.mode == "scripts") add_script_steps(draft);
  if (source == "provision.json")
    for (Point& point : timeline.points) point.approximate |= point.source == source;  // its times are whole seconds
}

}  // namespace sunup::timeline

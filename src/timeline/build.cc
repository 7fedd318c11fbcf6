#include "timeline/build.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "timeline/chain.h"
#include "timeline/draft.h"
#include "timeline/milestones.h"

namespace sunup::timeline {
namespace {

// Which boot the run was in: the record says so; else the journal knows at what times each boot was up.
std::string boot_of_run(const Draft& draft, const std::vector<JournalEntry>& journal) {
  if (draft.record && !draft.record->boot.empty()) return journal_boot_id(draft.record->boot);
  if (draft.logged) {
    std::string best;
    for (const JournalEntry& entry : journal)
      if (entry.wall <= draft.logged->start || best.empty()) best = entry.boot;
    if (!best.empty()) return best;
  }
  if (draft.sources.units_boot) return journal_boot_id(*draft.sources.units_boot);
  return journal.empty() ? "" : journal.back().boot;
}

void note(Timeline& timeline, std::string name, bool found, std::string detail) {
  timeline.sources.push_back({std::move(name), found, std::move(detail)});
}

// A later run that left no record (the image's scripts, a config that could not be planned) is in the log.
void drop_record_of_an_earlier_run(Draft& draft) {
  if (!draft.record || !draft.logged) return;
  const Nanos end = draft.record->anchors.front().wall + (draft.record->last - draft.record->start);
  if (draft.logged->start <= end) return;
  draft.record.reset();
  std::erase_if(draft.timeline.sources, [](const SourceNote& source) { return source.name == "run record"; });
  note(draft.timeline, "run record", false, "it is of an earlier run than the last one in the log");
}

void read_units(Draft& draft) {
  if (!draft.sources.units) return;
  const std::string& boot = draft.timeline.boot;
  if (draft.sources.units_boot && !boot.empty() && journal_boot_id(*draft.sources.units_boot) != boot) {
    std::erase_if(draft.timeline.sources, [](const SourceNote& source) { return source.name == "systemd"; });
    note(draft.timeline, "systemd", false, "its timestamps are of a later boot than the run; the journal stands in");
    return;
  }
  draft.manager = parse_systemctl_show(*draft.sources.units);
}

void relate_clocks(Draft& draft) {
  std::vector<Anchor> anchors;
  for (const JournalEntry& entry : draft.journal) anchors.push_back({entry.monotonic, entry.wall});
  if (draft.record)
    for (const Anchor& anchor : draft.record->anchors)
      if (anchor.wall != 0) anchors.push_back(anchor);
  Timeline& timeline = draft.timeline;
  if (anchors.empty() && draft.manager.units.empty()) {
    // Only wall clocks: then that is the axis.
    anchors.push_back({0, 0});
    timeline.warnings.emplace_back("no source knows the monotonic clock: a wall clock that was set shows as a gap");
  } else if (anchors.empty()) {
    timeline.warnings.emplace_back(
        "no source knows both clocks: what only has wall-clock times (guest-agent events, logs) is left out");
  }
  draft.clocks = Clocks(std::move(anchors));
}

void warn_of_jumps(Draft& draft) {
  for (const Clocks::Jump& jump : draft.clocks.jumps())
    draft.timeline.warnings.push_back(
        fmt::format("the wall clock was set {} by {:.3f} s at {:+.3f} s", jump.by > 0 ? "forward" : "back",
                    static_cast<double>(std::abs(jump.by)) / 1e9, draft.timeline.seconds(jump.at)));
}

void read_result(Draft& draft) {
  Timeline& timeline = draft.timeline;
  if (draft.sources.provision_json) {
    const auto result = nlohmann::json::parse(*draft.sources.provision_json, nullptr, false);
    if (result.is_object() && result.value("ExitCode", nlohmann::json()).is_string()) {
      timeline.exit_code = result["ExitCode"].get<std::string>();
      if (result.value("Error", nlohmann::json()).is_string()) timeline.error = result["Error"].get<std::string>();
    }
  }
  if (draft.record && draft.record->end) {
    timeline.state = draft.record->failed_step.empty() ? RunState::kSucceeded : RunState::kFailed;
    timeline.failed_step = draft.record->failed_step;
    if (!draft.record->error.empty()) timeline.error = draft.record->error;
    if (timeline.exit_code.empty()) timeline.exit_code = std::to_string(draft.record->exit_code);
  } else if (draft.record || (draft.logged && !draft.logged->end)) {
    const bool same_boot = !draft.sources.units_boot || journal_boot_id(*draft.sources.units_boot) == timeline.boot;
    timeline.state = draft.sources.machine_is_up && same_boot ? RunState::kRunning : RunState::kCutOff;
  } else if (draft.logged) {
    timeline.state = draft.logged->failed ? RunState::kFailed : RunState::kSucceeded;
    if (!draft.logged->error.empty()) timeline.error = draft.logged->error;
  } else if (!timeline.exit_code.empty()) {
    timeline.state = timeline.exit_code == "0" ? RunState::kSucceeded : RunState::kFailed;
  }
}

Result<void> choose_zero(Timeline& timeline, const std::string& wanted) {
  if (!wanted.empty()) {
    const auto point = timeline.find(wanted);
    if (point && timeline.points[*point].milestone) {
      timeline.zero = timeline.points[*point].at;
      timeline.zero_label = timeline.points[*point].label;
      return {};
    }
    std::string known;
    for (const Point& one : timeline.points)
      if (one.milestone) known += (known.empty() ? "" : ", ") + one.id;
    return Error(fmt::format("'{}' did not happen here, so it cannot be the zero (there are: {})", wanted, known));
  }
  for (const char* id : {"controller.start", "cse.start", "systemd.start"}) {
    if (const auto point = timeline.find(id)) {
      timeline.zero = timeline.points[*point].at;
      timeline.zero_label = timeline.points[*point].label;
      return {};
    }
  }
  const auto first = std::ranges::min_element(timeline.points, {}, &Point::at);
  timeline.zero = first->at;
  timeline.zero_label = first->label;
  return {};
}

std::string looked_for(const Sources& sources) {
  std::string names;
  for (const SourceNote& note : sources.notes) names += (names.empty() ? "looked for " : ", ") + note.name;
  return names;
}

}  // namespace

size_t Draft::milestone(std::string_view id, Nanos at, std::string source, bool approximate) {
  const MilestoneRule* rule = find_milestone(id);
  Point point{.id = std::string(id), .label = std::string(rule == nullptr ? id : rule->label)};
  point.at = at;
  point.source = std::move(source);
  point.milestone = true;
  point.approximate = approximate;
  return timeline.add_point(std::move(point));
}

void Draft::milestone_at_wall(std::string_view id, Nanos wall, std::string source) {
  if (const auto placed = clocks.place(wall)) milestone(id, placed->at, std::move(source), placed->approximate);
}

Result<Timeline> build(const Sources& sources, const BuildOptions& options) {
  Draft draft{.sources = sources};
  Timeline& timeline = draft.timeline;
  timeline.sources = sources.notes;
  if (sources.run_record) draft.record = parse_run_record(*sources.run_record);
  if (sources.controller_log) draft.logged = last_provision(*sources.controller_log);
  drop_record_of_an_earlier_run(draft);
  draft.events = parse_events(sources.events);
  JournalText journal = sources.journal ? parse_journal(*sources.journal) : JournalText();

  timeline.boot = boot_of_run(draft, journal.entries);
  for (JournalEntry& entry : journal.entries)
    if (entry.boot == timeline.boot) draft.journal.push_back(std::move(entry));
  if (!journal.entries.empty() && draft.journal.empty())
    timeline.warnings.emplace_back("the journal holds nothing of the boot the run was in");
  if (journal.unreadable > 0)
    timeline.warnings.push_back(fmt::format("{} lines of the journal could not be read", journal.unreadable));
  if (draft.record && draft.record->unreadable > 0)
    timeline.warnings.push_back(fmt::format("{} lines of the run record could not be read", draft.record->unreadable));
  for (const JournalEntry& entry : draft.journal)
    if (!entry.host.empty()) timeline.node = entry.host;
  read_units(draft);
  relate_clocks(draft);
  read_result(draft);

  add_boot(draft);
  add_run(draft);
  add_units(draft);
  add_kubelet(draft);
  if (timeline.points.empty()) return Error("nothing about a provision was found").with_hint(looked_for(sources));
  add_waits(draft);
  mark_critical_chain(timeline);
  add_evidence(draft);
  if (auto chosen = choose_zero(timeline, options.zero); !chosen) return std::move(chosen).error();
  timeline.wall_offset = draft.clocks.offset_at(timeline.zero);
  warn_of_jumps(draft);
  name_missing(draft);
  return timeline;
}

}  // namespace sunup::timeline

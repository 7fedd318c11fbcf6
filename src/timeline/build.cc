#include "timeline/build.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/node_paths.h"
#include "report/boot_times.h"
#include "timeline/draft.h"
#include "timeline/milestones.h"

namespace sunup::timeline {
namespace {

// The boot that the run belongs to: from the run record, otherwise from the times of each boot in the journal.
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

// A source that exists but contains nothing is reported; otherwise it would pass for a complete one.
void doubt(Timeline& timeline, const std::string& name, const std::string& why) {
  for (SourceNote& source : timeline.sources) {
    if (source.name != name) continue;
    source.found = false;
    source.detail = fmt::format("{} ({})", why, source.detail);
    return;
  }
  note(timeline, name, false, why);
}

void read_sources(Draft& draft) {
  constexpr char kUnreadable[] = "there, but unreadable";
  const Sources& sources = draft.sources;
  Timeline& timeline = draft.timeline;
  if (sources.run_record) {
    draft.record = parse_run_record(*sources.run_record);
    if (!draft.record)
      doubt(timeline, "run record", kUnreadable);
    else if (draft.record->unreadable > 0)
      timeline.warnings.push_back(
          fmt::format("{} lines of the run record could not be read", draft.record->unreadable));
  }
  if (sources.controller_log) {
    ControllerLog log = parse_controller_log(*sources.controller_log);
    draft.logged = std::move(log.last_provision);
    draft.dry_run = log.dry_run;
    if (log.unreadable == log.lines)
      doubt(timeline, paths::kLogName, log.lines == 0 ? "there, but empty" : kUnreadable);
    else if (log.unreadable > 0)
      timeline.warnings.push_back(fmt::format("{} lines of {} could not be read", log.unreadable, paths::kLogName));
  }
  if (sources.provision_json) {
    if (auto result = report::parse_result(*sources.provision_json); result && !result->exit_code.empty())
      draft.result = *std::move(result);
    else
      doubt(timeline, "provision.json", kUnreadable);
  }
  if (sources.cloud_init_log && !is_cloud_init_log(*sources.cloud_init_log))
    doubt(timeline, "cloud-init.log", kUnreadable);
  draft.events = parse_events(sources.events);
  if (const size_t lost = sources.events.size() - draft.events.size(); lost > 0) {
    if (draft.events.empty())
      doubt(timeline, "guest-agent events", kUnreadable);
    else
      timeline.warnings.push_back(fmt::format("{} guest-agent events could not be read", lost));
  }
}

// A later run without a record (the image's scripts, a config that could not be planned) is only in the log.
void drop_record_of_an_earlier_run(Draft& draft) {
  if (!draft.record || !draft.logged) return;
  const Nanos end = draft.record->anchors.front().wall + (draft.record->last - draft.record->start);
  if (draft.logged->start <= end) return;
  draft.record.reset();
  std::erase_if(draft.timeline.sources, [](const SourceNote& source) { return source.name == "run record"; });
  note(draft.timeline, "run record", false, "it belongs to an earlier run than the last one in the log");
}

void read_units(Draft& draft) {
  if (!draft.sources.units) return;
  const std::string& boot = draft.timeline.boot;
  if (draft.sources.units_boot && !boot.empty() && journal_boot_id(*draft.sources.units_boot) != boot) {
    std::erase_if(draft.timeline.sources, [](const SourceNote& source) { return source.name == "systemd"; });
    note(draft.timeline, "systemd", false,
         "its timestamps belong to a later boot than the run; the journal is used instead");
    return;
  }
  draft.manager = parse_systemctl_show(*draft.sources.units);
  if (draft.manager.units.empty() && draft.manager.userspace == 0)
    doubt(draft.timeline, "systemd", "there, but unreadable");
}

void relate_clocks(Draft& draft) {
  std::vector<Anchor> anchors;
  for (const JournalEntry& entry : draft.journal) anchors.push_back({entry.monotonic, entry.wall});
  if (draft.record)
    for (const Anchor& anchor : draft.record->anchors)
      if (anchor.wall != 0) anchors.push_back(anchor);
  Timeline& timeline = draft.timeline;
  if (anchors.empty() && draft.manager.units.empty()) {
    // If only wall-clock times are known, they are the time axis.
    anchors.push_back({0, 0});
    timeline.warnings.emplace_back("no source has monotonic times: a change of the wall clock appears as a gap");
  } else if (anchors.empty()) {
    timeline.warnings.emplace_back(
        "no source has both clocks: entries with only wall-clock times (guest-agent events, logs) are omitted");
  }
  draft.clocks = Clocks(std::move(anchors));
}

void warn_of_jumps(Draft& draft) {
  for (const Clocks::Jump& jump : draft.clocks.jumps())
    draft.timeline.warnings.push_back(
        fmt::format("the wall clock was set {} by {:.3f} s at {:+.3f} s", jump.by > 0 ? "forward" : "back",
                    static_cast<double>(std::abs(jump.by)) / 1e9, draft.timeline.seconds(jump.at)));
}

// provision.json of an earlier attempt exists until a new one replaces it.
bool is_of_this_run(const Draft& draft) {
  constexpr Nanos kWholeSeconds = 2 * kSecond;
  std::optional<Nanos> start;
  if (draft.logged)
    start = draft.logged->start;
  else if (draft.record && draft.record->anchors.front().wall != 0)
    start = draft.record->anchors.front().wall;
  if (const auto told = draft.result_start(); start && told) return *told + kWholeSeconds >= *start;
  // A result without a time in it cannot belong to a run that is still in progress.
  const bool ended = (draft.record && draft.record->end) || (draft.logged && draft.logged->end);
  return ended || !draft.sources.machine_is_up || (!draft.record && !draft.logged);
}

RunState state_without_result(const Draft& draft) {
  if (draft.record && draft.record->end)
    return draft.record->failed_step.empty() ? RunState::kSucceeded : RunState::kFailed;
  if (draft.logged && draft.logged->end) return draft.logged->failed ? RunState::kFailed : RunState::kSucceeded;
  if (!draft.record && !draft.logged) return draft.dry_run ? RunState::kDryRun : RunState::kUnknown;
  const bool same_boot = !draft.sources.units_boot || journal_boot_id(*draft.sources.units_boot) == draft.timeline.boot;
  return draft.sources.machine_is_up && same_boot ? RunState::kRunning : RunState::kCutOff;
}

// provision.json decides, because it is what the platform reads. Without it, the end of the run is derived from the
// record and the log.
void read_result(Draft& draft) {
  Timeline& timeline = draft.timeline;
  if (draft.result && !is_of_this_run(draft)) {
    draft.result.reset();
    doubt(timeline, "provision.json", "it belongs to an earlier run than the last one in the log");
  }
  timeline.state = state_without_result(draft);
  if (draft.record && draft.record->end) {
    timeline.failed_step = draft.record->failed_step;
    timeline.error = draft.record->error;
    timeline.exit_code = std::to_string(draft.record->exit_code);
  } else if (draft.logged && !draft.logged->error.empty()) {
    timeline.error = draft.logged->error;
  }
  if (!draft.result) return;
  const RunState told = draft.result->exit_code == "0" ? RunState::kSucceeded : RunState::kFailed;
  const bool ended = timeline.state == RunState::kSucceeded || timeline.state == RunState::kFailed;
  if (ended && told != timeline.state)
    timeline.warnings.push_back(fmt::format("provision.json says that the run {}, {} that it {}", to_string(told),
                                            draft.record && draft.record->end ? "the run record" : "the log",
                                            to_string(timeline.state)));
  if (draft.record && !draft.record->end)
    timeline.warnings.emplace_back("the run record ends before the run did: later events are unknown");
  timeline.state = told;
  timeline.exit_code = draft.result->exit_code;
  if (timeline.failed_step.empty()) timeline.failed_step = draft.result->failed_step;
  if (timeline.error.empty() || !draft.result->error.empty()) timeline.error = draft.result->error;
  if (draft.record && draft.record->end && !draft.record->error.empty()) timeline.error = draft.record->error;
}

Result<void> choose_zero(Timeline& timeline, const std::string& wanted) {
  if (!wanted.empty()) {
    const auto point = timeline.find(wanted);
    if (point && (timeline.points[*point].milestone || is_step_end(wanted))) {
      timeline.zero = timeline.points[*point].at;
      timeline.zero_label = timeline.points[*point].label;
      return {};
    }
    std::string known;
    for (const Point& one : timeline.points)
      if (one.milestone) known += (known.empty() ? "" : ", ") + one.id;
    return Error(
        fmt::format("'{}' did not happen, so it cannot be the zero (available: {}; the end of a step is step:NAME:end "
                    "or script:NAME:end)",
                    wanted, known));
  }
  for (const char* id : {"controller.start", "cse.start", "systemd.start"}) {
    if (const auto point = timeline.find(id)) {
      timeline.zero = timeline.points[*point].at;
      timeline.zero_label = timeline.points[*point].label;
      return {};
    }
  }
  if (timeline.points.empty()) return {};
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

std::optional<Nanos> Draft::result_start() const {
  const auto seconds = result ? report::parse_boot_time(result->start) : std::nullopt;
  return seconds ? std::optional(std::llround(*seconds) * kSecond) : std::nullopt;
}

std::optional<Nanos> Draft::result_duration() const {
  constexpr double kLongest = 1e9;
  const auto seconds = result ? report::duration_of(*result) : std::nullopt;
  if (!seconds || *seconds < 0 || *seconds > kLongest) return std::nullopt;
  return std::llround(*seconds) * kSecond;
}

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
  read_sources(draft);
  drop_record_of_an_earlier_run(draft);
  JournalText journal = sources.journal ? parse_journal(*sources.journal) : JournalText();

  timeline.boot = boot_of_run(draft, journal.entries);
  for (JournalEntry& entry : journal.entries)
    if (entry.boot == timeline.boot) draft.journal.push_back(std::move(entry));
  if (!journal.entries.empty() && draft.journal.empty())
    timeline.warnings.emplace_back("the journal contains nothing from the boot of the run");
  if (journal.unreadable > 0)
    timeline.warnings.push_back(fmt::format("{} lines of the journal could not be read", journal.unreadable));
  if (sources.journal && journal.entries.empty()) doubt(timeline, "journal", "there, but unreadable");
  for (const JournalEntry& entry : draft.journal)
    if (!entry.host.empty()) timeline.node = entry.host;
  read_units(draft);
  relate_clocks(draft);
  read_result(draft);

  add_boot(draft);
  add_run(draft);
  add_units(draft);
  add_kubelet(draft);
  if (timeline.points.empty() && timeline.state == RunState::kUnknown)
    return Error("no information about a provision was found").with_hint(looked_for(sources));
  add_waits(draft);
  mark_critical_chain(timeline);
  add_evidence(draft);
  if (auto chosen = choose_zero(timeline, options.zero); !chosen) return std::move(chosen).error();
  if (!timeline.points.empty()) timeline.wall_offset = draft.clocks.offset_at(timeline.zero);
  warn_of_jumps(draft);
  name_missing(draft);
  return timeline;
}

}  // namespace sunup::timeline

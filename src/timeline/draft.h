// A timeline under construction: the parsed sources, and the parts that the build_*.cc files add one after the other.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "report/provision_result.h"
#include "timeline/clocks.h"
#include "timeline/journal_entries.h"
#include "timeline/model.h"
#include "timeline/run_record.h"
#include "timeline/sources.h"
#include "timeline/unit_times.h"
#include "timeline/wall_sources.h"

namespace sunup::timeline {

struct Draft {
  const Sources& sources;
  std::optional<RunRecord> record = {};
  std::optional<LoggedRun> logged = {};
  std::optional<Nanos> dry_run = {};                   // wall; the last dry run, if nothing follows it in the log
  std::optional<report::ProvisionResult> result = {};  // of the run
  std::vector<TimedEvent> events = {};
  std::vector<JournalEntry> journal = {};  // of the boot, by time
  ManagerTimes manager = {};               // of the boot
  Clocks clocks{{}};
  Nanos run_start = 0;
  Timeline timeline = {};

  // When the run of the result started (wall, in whole seconds), and how long it took.
  std::optional<Nanos> result_start() const;
  std::optional<Nanos> result_duration() const;

  // Adds a milestone by its id, with the label from the table.
  size_t milestone(std::string_view id, Nanos at, std::string source, bool approximate = false);
  // The same for a wall-clock time; does nothing if it cannot be converted.
  void milestone_at_wall(std::string_view id, Nanos wall, std::string source);
};

void add_boot(Draft& draft);      // kernel, systemd, cloud-init's boothook
void add_run(Draft& draft);       // the controller, its steps or the image's script steps, the result
void add_units(Draft& draft);     // units that systemd started, and their ordering
void add_kubelet(Draft& draft);   // milestones from kubelet's log
void add_waits(Draft& draft);     // the order of milestones according to their table
void add_evidence(Draft& draft);  // what kubelet complained about while the chain waited
void name_missing(Draft& draft);

// The critical chain: from the goal backwards, each time to the event that was waited for last.
// Marks points and spans of the chain and fills timeline.chain. The goal is NodeReady if it was reached, otherwise the
// last known event: the failed step, the end of the run, or the last point. For a run without an end it is the step
// that is being waited for, which is also stored in timeline.waiting_for.
void mark_critical_chain(Timeline& timeline);

// The start of kubelet that led to NodeReady, used by several parts; empty without a journal.
std::optional<Nanos> first_node_ready(const Draft& draft);

// The points of a unit: a milestone such as "kubelet.started" if the table has one.
std::string unit_begin_id(const std::string& unit);
std::string unit_active_id(const std::string& unit);

}  // namespace sunup::timeline

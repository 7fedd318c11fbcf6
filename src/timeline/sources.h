// The sources of a timeline as text. gather.h reads them from this machine or from copied files and records for each
// source where it was found, or why it is missing. Only gather.h accesses files.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "timeline/model.h"

namespace sunup::timeline {

struct Sources {
  std::optional<std::string> run_record = {};      // trace.jsonl of the last run (run_record.h)
  std::optional<std::string> controller_log = {};  // aks-node-controller.log
  std::optional<std::string> journal = {};         // `journalctl --output=json`
  std::optional<std::string> units = {};           // `systemctl show`, first of the manager, then of units
  std::optional<std::string> units_boot = {};      // the boot `units` belongs to
  std::optional<std::string> cloud_init_log = {};
  std::optional<std::string> provision_json = {};
  std::vector<std::pair<std::string, std::string>> events = {};  // guest-agent events: file name, content
  bool machine_is_up = false;                                    // live: a run without an end is still running
  bool owes_deferred = false;  // live: a success is published, and not all deferred steps are done
  std::vector<SourceNote> notes = {};
};

// The properties that are queried from systemd for the units in boot_units.h.
inline constexpr const char* kUnitProperties =
    "Id,ActiveState,SubState,Result,NRestarts,After,InactiveExitTimestampMonotonic,ExecMainStartTimestampMonotonic,"
    "ExecMainExitTimestampMonotonic,ActiveEnterTimestampMonotonic,ActiveExitTimestampMonotonic,"
    "InactiveEnterTimestampMonotonic";

}  // namespace sunup::timeline

// What a timeline is made of, as text: whoever gathers it (live.h from this machine, directory.h from copied files)
// says of every source where it was, or why it is not there. Nothing else here touches a file.
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
  bool machine_is_up = false;                                    // live: a run without an end is going on
  bool owes_deferred = false;  // live: a success is out, and not all steps that nobody waits for are done
  std::vector<SourceNote> notes = {};
};

// The properties that systemd is asked for of the units on the way to NodeReady (boot_units.h).
inline constexpr const char* kUnitProperties =
    "Id,ActiveState,SubState,Result,NRestarts,After,InactiveExitTimestampMonotonic,ExecMainStartTimestampMonotonic,"
    "ExecMainExitTimestampMonotonic,ActiveEnterTimestampMonotonic,ActiveExitTimestampMonotonic,"
    "InactiveEnterTimestampMonotonic";

}  // namespace sunup::timeline

// When systemd started what, as `systemctl show` prints it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "timeline/model.h"

namespace sunup::timeline {

// Zero: never, or not known.
struct UnitTimes {
  std::string name = {};
  std::string active = {};  // "active", "failed", ...
  std::string sub = {};
  std::string result = {};
  int restarts = 0;
  std::vector<std::string> after = {};
  bool knows_after = false;  // the source said what it is ordered after
  Nanos begin = 0;           // systemd began to start it (ExecStartPre and all)
  bool begin_known = true;   // false: it is only known not to be later
  Nanos main_start = 0;      // its main process was started
  Nanos active_at = 0;       // it was called active: ready, for those that say so
  Nanos main_exit = 0;
  Nanos inactive_at = 0;
  std::string source = "systemd";
};

struct ManagerTimes {
  bool has_kernel = false;  // in a container systemd knows of no kernel start
  Nanos userspace = 0;
  Nanos finish = 0;
  std::vector<UnitTimes> units = {};
};
ManagerTimes parse_systemctl_show(std::string_view text);

}  // namespace sunup::timeline

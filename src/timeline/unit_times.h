// The start times of units, as `systemctl show` prints them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "timeline/model.h"

namespace sunup::timeline {

// Zero: never, or unknown.
struct UnitTimes {
  std::string name = {};
  std::string active = {};  // "active", "failed", ...
  std::string sub = {};
  std::string result = {};
  int restarts = 0;
  std::vector<std::string> after = {};
  bool knows_after = false;  // the source contains its ordering
  Nanos begin = 0;           // systemd began to start it (including ExecStartPre)
  bool begin_known = true;   // false: it is only an upper bound
  Nanos main_start = 0;      // its main process was started
  Nanos active_at = 0;       // it became active, which means ready if the unit notifies
  Nanos inactive_at = 0;
  std::string source = "systemd";
};

struct ManagerTimes {
  bool has_kernel = false;  // false in a container, where systemd has no kernel start
  Nanos userspace = 0;
  Nanos finish = 0;
  std::vector<UnitTimes> units = {};
};
ManagerTimes parse_systemctl_show(std::string_view text);

}  // namespace sunup::timeline

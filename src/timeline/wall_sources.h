// The sources that contain only wall-clock times: the controller's log, guest-agent events, cloud-init's log.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "timeline/model.h"

namespace sunup::timeline {

// The last run in aks-node-controller.log, except runs that ended at once because the node was already provisioned.
struct LoggedRun {
  Nanos start = 0;  // wall
  std::optional<Nanos> end = {};
  bool failed = false;
  std::string error = {};
  std::string mode = {};  // "native" or "scripts", if a line contains it
};
struct ControllerLog {
  std::optional<LoggedRun> last_provision = {};
  std::optional<Nanos> dry_run = {};  // wall; start of the last one
  size_t lines = 0;
  size_t unreadable = 0;  // of these
};
ControllerLog parse_controller_log(std::string_view log);

// A guest-agent event: "AKS.CSE.ensureContainerd" with its start and end.
struct TimedEvent {
  std::string task = {};  // with its prefix
  Nanos start = 0;        // wall
  Nanos end = 0;
  std::string message = {};
  bool by_script = false;  // the image's scripts wrote it, not the controller
};
// Events contain local time; the file name contains the absolute time, which gives the zone. Files that are not events
// are skipped. Sorted by start, outer events first.
std::vector<TimedEvent> parse_events(const std::vector<std::pair<std::string, std::string>>& files);

// Whether any line has the format of cloud-init.
bool is_cloud_init_log(std::string_view text);

struct Interval {
  Nanos start = 0;  // wall
  Nanos end = 0;
};
// Every run of a boothook, in order. cloud-init runs them at each boot and logs in UTC.
std::vector<Interval> boothooks(std::string_view cloud_init_log);

}  // namespace sunup::timeline

// The sources that only know the wall clock: the controller's log, guest-agent events, cloud-init's log.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "timeline/model.h"

namespace sunup::timeline {

// The last provision in aks-node-controller.log that was more than a look at a node that is provisioned already.
struct LoggedRun {
  Nanos start = 0;  // wall
  std::optional<Nanos> end = {};
  bool failed = false;
  std::string error = {};
  std::string mode = {};  // "native" or "scripts", where a line of it tells
};
struct ControllerLog {
  std::optional<LoggedRun> last_provision = {};
  std::optional<Nanos> dry_run = {};  // wall; when the last one began
  size_t lines = 0;
  size_t unreadable = 0;  // of these
};
ControllerLog parse_controller_log(std::string_view log);

// A guest-agent event: "AKS.CSE.ensureContainerd" and when it began and ended.
struct TimedEvent {
  std::string task = {};  // with its prefix
  Nanos start = 0;        // wall
  Nanos end = 0;
  std::string message = {};
  bool by_script = false;  // the image's scripts wrote it, not the controller
};
// Events write local time; their file's name says when that was, so the zone is known. Files that are no events are
// skipped. By start, outer ones first.
std::vector<TimedEvent> parse_events(const std::vector<std::pair<std::string, std::string>>& files);

// Whether any line is one that cloud-init writes.
bool is_cloud_init_log(std::string_view text);

struct Interval {
  Nanos start = 0;  // wall
  Nanos end = 0;
};
// Every run of a boothook, in order. cloud-init runs them at each boot and logs in UTC.
std::vector<Interval> boothooks(std::string_view cloud_init_log);

}  // namespace sunup::timeline

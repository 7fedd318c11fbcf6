// The run record: what the engine did, one JSON object a line, written while it happens (run_recorder.h) and read by
// the timeline, also when the run is still going or was cut off.
//
//   {"sunup":"run record","v":1,"boot":"6f0c...","t":81234567890,"wall":1794769175117000000,"version":"0.2.0",
//    "mode":"native","pid":612}
//   {"t":81234570000,"e":"declared","step":"containerd.start","rank":"critical","purpose":"...","needs":["..."],
//    "after":[],"provides":["containerd.running"],"units":["containerd.service"]}
//   {"t":81234600000,"e":"started","step":"containerd.start","attempt":1,"text":"not done before"}
//
// `t` is CLOCK_MONOTONIC in nanoseconds, `wall` nanoseconds since 1970. `e` is the engine's name of the event
// (engine::to_string); "did" of an end says "nothing" or "part" where the machine was left alone; readers skip events
// and members they do not know.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "timeline/clocks.h"
#include "timeline/model.h"

namespace sunup::timeline {

inline constexpr char kRunRecord[] = "/var/log/azure/aks-node-controller/trace.jsonl";
inline constexpr int kRunRecordsKept = 3;  // this run's and those of the runs before: trace.1.jsonl, trace.2.jsonl

struct RecordedStep {
  std::string name = {};
  std::string purpose = {};
  std::string rank = {};  // "critical", "completion", "deferred"
  std::vector<std::string> needs = {}, after = {}, provides = {}, units = {};
  bool begun = false;
  Nanos start = 0;
  std::optional<Nanos> end = {};
  SpanState state = SpanState::kRunning;
  int attempts = 0;
  std::string why = {};
  std::string waited_for = {};  // the step that made it ready, by its own words
  std::string error = {};
  std::vector<std::string> retries = {};
  std::vector<std::string> notes = {};
  std::vector<std::string> left_out = {};
  bool left_alone = false;  // none of it was done, or only its files
};

struct RunRecord {
  std::string boot = {}, version = {}, mode = {};
  int64_t pid = 0;
  Nanos start = 0;
  std::optional<Nanos> end = {};  // nothing: still going, or cut off
  std::optional<Nanos> milestone = {};
  std::string milestone_name = {};
  std::string failed_step = {};
  std::string error = {};
  int exit_code = 0;
  std::vector<RecordedStep> steps = {};  // as declared, then as they come
  std::vector<std::string> troubles = {};
  std::vector<Anchor> anchors = {};
  Nanos last = 0;         // the last line's time
  size_t unreadable = 0;  // lines; a last one that was cut off does not count
};

// Nothing when the text holds no head line.
std::optional<RunRecord> parse_run_record(std::string_view text);

}  // namespace sunup::timeline

// The run record: the events of the engine, one JSON object per line. It is written during the run (run_recorder.h) and
// read by the timeline, also if the run has not ended or was interrupted.
//
//   {"sunup":"run record","v":1,"boot":"6f0c...","t":81234567890,"wall":1794769175117000000,"version":"0.2.0",
//    "mode":"native","pid":612}
//   {"t":81234570000,"e":"declared","step":"containerd.start","rank":"critical","purpose":"...","needs":["..."],
//    "after":[],"provides":["containerd.running"],"units":["containerd.service"]}
//   {"t":81234600000,"e":"started","step":"containerd.start","attempt":1,"text":"not done before"}
//
// `t` is CLOCK_MONOTONIC in nanoseconds, `wall` nanoseconds since 1970. `e` is the engine's name of the event
// (engine::to_string); "did" of an end is "nothing" or "part" if the machine was left alone (--root); readers skip
// unknown events and members.
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
inline constexpr int kRunRecordsKept = 3;  // this run and the previous ones: trace.1.jsonl, trace.2.jsonl

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
  std::string waited_for = {};  // the step that made it ready, as recorded
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
  std::optional<Nanos> end = {};  // empty: not ended, or interrupted
  std::optional<Nanos> milestone = {};
  std::string failed_step = {};
  std::string error = {};
  int exit_code = 0;
  std::vector<RecordedStep> steps = {};  // declared steps first, then others in order of appearance
  std::vector<std::string> troubles = {};
  std::vector<Anchor> anchors = {};
  Nanos last = 0;         // the last line's time
  size_t unreadable = 0;  // number of lines, except a truncated last line
};

// Empty if the text has no header line.
std::optional<RunRecord> parse_run_record(std::string_view text);

}  // namespace sunup::timeline

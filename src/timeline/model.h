// What happened on a node and when: points in time (milestones), intervals (spans), which point waited for which, and
// the chain of waits that determined when the node was ready.
//
// All times are nanoseconds of the monotonic clock of one boot, so changes of the wall clock have no effect.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sunup::timeline {

using Nanos = int64_t;
inline constexpr Nanos kSecond = 1'000'000'000;

enum class SpanKind { kStage, kUnit, kStep, kScript };  // cloud-init stages, units, built-in steps, the scripts' steps
std::string_view to_string(SpanKind kind);

enum class SpanState { kDone, kFailed, kRunning, kSkipped, kCancelled };
std::string_view to_string(SpanState state);

// A point in time that something can wait for. Every span has a point at each end; milestones are points with a name.
struct Point {
  std::string id = {};     // "node.ready", "step:containerd.start:end"
  std::string label = {};  // for display: "NodeReady"
  Nanos at = 0;
  std::string source = {};          // where it comes from: "journal", "systemd", "run record" ...
  bool milestone = false;           // one of the milestones in milestones.h
  bool approximate = false;         // from a wall clock that jumped, or cut to whole seconds
  bool critical = false;            // on the chain
  std::optional<size_t> span = {};  // the span that begins or ends here
};

struct Span {
  std::string name = {};
  SpanKind kind = SpanKind::kStep;
  SpanState state = SpanState::kDone;
  size_t start = 0;  // points
  size_t end = 0;
  int depth = 0;            // of a script step inside another
  bool critical = false;    // the chain runs through it
  bool deferred = false;    // nothing waits for it
  bool left_alone = false;  // intentionally (--root): all of it was skipped, or all except its files
  bool open = false;        // it had not ended when the sources ended
  std::string purpose = {};
  std::string why = {};                 // the reason why it ran, was skipped or did not run
  std::vector<std::string> needs = {};  // steps: what they need and provide; units: what they are ordered after
  std::vector<std::string> provides = {};
  std::vector<std::string> retries = {};  // "attempt 1 after 0.2 s: connection refused"
  std::vector<std::string> notes = {};
  std::string error = {};
};

struct Wait {
  size_t from = 0;  // points
  size_t to = 0;
  std::string what = {};  // what was waited for between the two
};

// A link of the critical chain: what was waited for until `to`.
struct Link {
  size_t from = 0;
  size_t to = 0;
  std::string waited_for = {};
};

struct SourceNote {
  std::string name = {};  // "journal"
  bool found = false;
  std::string detail = {};  // where it was, or why it could not be used
  bool cut = false;         // only a part of it was read; see detail
};

struct Missing {
  std::string label = {};  // of the milestone
  std::string why = {};
};

// A dry run is shown only if nothing was ever provisioned.
enum class RunState { kUnknown, kRunning, kSucceeded, kFailed, kCutOff, kDryRun };
std::string_view to_string(RunState state);

class Timeline {
 public:
  std::vector<Point> points = {};
  std::vector<Span> spans = {};
  std::vector<Wait> waits = {};
  std::vector<Link> chain = {};  // in time
  std::vector<SourceNote> sources = {};
  std::vector<Missing> missing = {};
  std::vector<std::string> warnings = {};
  std::string boot = {};             // the boot that all times belong to
  std::string node = {};             // its host name, if a source contains it
  std::string mode = {};             // "native", "scripts"
  std::string version = {};          // of the controller
  std::optional<Nanos> wall_offset;  // wall clock minus monotonic clock at the zero
  Nanos zero = 0;                    // the time that all others are relative to
  std::string zero_label = {};       // "controller started"
  RunState state = RunState::kUnknown;
  std::string exit_code = {};  // as provision.json has it
  std::string failed_step = {};
  std::string error = {};
  std::optional<size_t> waiting_for = {};  // if the run has not ended: the span that is being waited for

  size_t add_point(Point point);  // if the id exists, its first time is kept
  std::optional<size_t> find(std::string_view id) const;
  size_t add_span(Span span, Point start, Point end);
  void add_wait(std::string_view from, std::string_view to, std::string what);

  Nanos start_of(const Span& span) const { return points[span.start].at; }
  Nanos end_of(const Span& span) const { return points[span.end].at; }
  double seconds(Nanos at) const { return static_cast<double>(at - zero) / static_cast<double>(kSecond); }

 private:
  std::map<std::string, size_t, std::less<>> by_id_;
};

}  // namespace sunup::timeline

// The result of a run and of each of its steps, for publication and for people.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "host/loop.h"

namespace sunup::engine {

using host::TimePoint;

enum class StepOutcome {
  kNotRun,   // a step that it needs failed, or the run ended before its turn
  kSkipped,  // done by an earlier run
  kDone,
  kFailed,
  kCancelled,  // it was running when the run was stopped
};
std::string_view to_string(StepOutcome outcome);

struct StepReport {
  StepOutcome outcome = StepOutcome::kNotRun;
  TimePoint started{};
  TimePoint ended{};
  int attempts = 0;
  std::string why;  // why it ran, was skipped or did not run
  Error error;      // of the last failed attempt
};

struct Report {
  bool ok = false;
  bool settled = false;     // nothing was interrupted, deferred steps included
  bool timed_out = false;   // the overall deadline passed
  int stopped_by = 0;       // the signal that asked the process to stop
  std::string failed_step;  // names a step, or "deadline", "signal", "durability barrier", "completion"
  Error error;              // with the exit code of the contract, if the step or the error has one
  TimePoint started{};
  TimePoint milestone{};          // when it was reached; zero: never
  TimePoint completed{};          // when on_complete was called
  std::vector<StepReport> steps;  // as in the graph
};

}  // namespace sunup::engine

// A step's attempts: its body, run until it succeeds, fails for good or time is up.
#pragma once

#include <cstdint>

#include "engine/observer.h"
#include "engine/run_report.h"
#include "engine/step.h"

namespace sunup::engine {

struct RetryRules {
  TimePoint last_start = TimePoint::max();  // of an attempt that is not the first, whatever the step allows itself
  uint64_t jitter_seed = 0;                 // see next_pause (retry.h)
};

// What came of it is in the report: outcome, attempts and the error of the last that failed. What it refers to must
// outlive the task.
Task<void> attempt_until_done(Context& context, const Observers& observers, RetryRules rules, StepReport& report);

}  // namespace sunup::engine

// Runs the body of a step until it succeeds, fails permanently or runs out of time.
#pragma once

#include <cstdint>

#include "engine/observer.h"
#include "engine/run_report.h"
#include "engine/step.h"

namespace sunup::engine {

struct RetryRules {
  TimePoint last_start = TimePoint::max();  // no retry starts after this, even if the step's own limits allow it
  uint64_t jitter_seed = 0;                 // see next_pause (retry.h)
};

// Writes the result to the report: outcome, attempts, and the error of the last failed attempt. The arguments passed by
// reference must outlive the task.
Task<void> attempt_until_done(Context& context, const Observers& observers, RetryRules rules, StepReport& report);

}  // namespace sunup::engine

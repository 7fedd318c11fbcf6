#include "engine/attempts.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "engine/retry.h"

namespace sunup::engine {
namespace {

Task<Result<void>> attempt(Context& context, TimePoint until) {
  const Step& step = context.step;
  host::Loop& loop = context.host.loop;
  Duration limit = until - loop.now();
  if (step.retry.each > Duration::zero()) limit = std::min(limit, step.retry.each);
  co_return co_await host::within(loop, limit, step.run(context), step.name);
}

}  // namespace

Task<void> attempt_until_done(Context& context, const Observers& observers, RetryRules rules, StepReport& report) {
  const Step& step = context.step;
  host::Loop& loop = context.host.loop;
  const TimePoint began = loop.now();
  const TimePoint until = began + step.deadline;
  while (true) {
    ++report.attempts;
    observers.tell_of(step.name, EventKind::kStepStarted, report.attempts == 1 ? report.why : "", report.attempts);
    const TimePoint started = loop.now();
    Result<void> result = co_await attempt(context, until);
    if (result) {
      report.outcome = StepOutcome::kDone;
      co_return;
    }
    report.error = std::move(result).error();
    if (report.error.code == 0) report.error.code = step.exit_code;
    report.outcome = StepOutcome::kFailed;
    const TimePoint now = loop.now();
    TimePoint last_start = std::min(until, rules.last_start);
    if (step.retry.budget > Duration::zero()) last_start = std::min(last_start, began + step.retry.budget);
    const TimePoint from = step.retry.from_start ? started : now;
    const std::optional<Duration> pause =
        next_pause(step.retry, step.name, report.attempts, report.error, last_start - from, rules.jitter_seed);
    if (!pause || now >= last_start) co_return;
    const Duration rest = std::max(from + *pause - now, Duration::zero());
    observers.tell_of(step.name, EventKind::kStepRetry,
                      fmt::format("again in {}ms", rest / std::chrono::milliseconds(1)), report.attempts,
                      &report.error);
    co_await loop.after(rest);
  }
}

}  // namespace sunup::engine

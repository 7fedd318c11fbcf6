#include "engine/run_report.h"

namespace sunup::engine {

std::string_view to_string(StepOutcome outcome) {
  switch (outcome) {
    case StepOutcome::kNotRun:
      return "not run";
    case StepOutcome::kSkipped:
      return "skipped";
    case StepOutcome::kDone:
      return "done";
    case StepOutcome::kFailed:
      return "failed";
    case StepOutcome::kCancelled:
      return "cancelled";
  }
  return "";
}

}  // namespace sunup::engine

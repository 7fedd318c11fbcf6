#include "engine/run_report.h"

namespace sunup::engine {

std::string_view to_string(Outcome outcome) {
  switch (outcome) {
    case Outcome::kNotRun:
      return "not run";
    case Outcome::kSkipped:
      return "skipped";
    case Outcome::kDone:
      return "done";
    case Outcome::kFailed:
      return "failed";
    case Outcome::kCancelled:
      return "cancelled";
  }
  return "";
}

}  // namespace sunup::engine

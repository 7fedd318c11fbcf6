#include "controller/outcome.h"

#include "controller/os_reason.h"

namespace sunup::controller {

Outcome outcome_of(report::ProvisionResult result) {
  const int64_t code = *report::exit_code_of(result);
  Outcome outcome{.exit_code = code == 0                ? 0
                               : code > 0 && code < 256 ? static_cast<int>(code)
                                                        : 255,
                  .result = std::move(result)};
  if (code != 0 && outcome.result.error.empty())
    outcome.result.error = "exit status " + std::to_string(outcome.exit_code);
  return outcome;
}

Outcome stopped(int signal, std::string output) {
  Outcome outcome = controller_failure(stopped_error(signal));
  outcome.signal = signal;
  outcome.result.output = std::move(output);
  return outcome;
}

}  // namespace sunup::controller

#include "controller/outcome.h"

#include "controller/os_reason.h"

namespace sunup::controller {

Outcome stopped(int signal, std::string output) {
  Outcome outcome = controller_failure(stopped_error(signal));
  outcome.signal = signal;
  outcome.result.output = std::move(output);
  return outcome;
}

}  // namespace sunup::controller

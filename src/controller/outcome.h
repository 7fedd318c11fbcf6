// The outcome of provisioning: the exit code of this process and the content of provision.json.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/exit_code.h"
#include "report/provision_result.h"

namespace sunup::controller {

struct Outcome {
  int exit_code = 0;
  int signal = 0;                                               // the signal that stopped this process
  report::ProvisionResult result;                               // result.error is empty after a success
  std::string timeline = {};                                    // the progress, in one line
  std::vector<std::pair<std::string, double>> milestones = {};  // as in timeline/summary.h
  bool replaces_result = false;                                 // replaces a result that was written and is wrong
  std::string why_script = {};  // why the command's script was run instead of the built-in steps; empty: it was not
  bool refused = false;         // nothing was run
  bool base_only = false;       // the run only prepares the base image (pre_provision_only)
  bool by_scripts = false;      // the image's scripts were run
  bool by_steps = false;        // the built-in steps were run, deferred ones included

  std::optional<bool> machine_stops = {};  // after a failure: the answer of going_down(); empty: it was not asked

  bool ok() const { return exit_code == 0 && signal == 0; }
};

// The controller itself has failed: bad input, or there is nothing to run.
inline Outcome controller_failure(std::string error) {
  return {
      .exit_code = 1,
      .result = {
          .exit_code = std::to_string(exit_code::kAksNodeControllerError), .error = std::move(error), .output = ""}};
}

// The outcome of an earlier run that left this result; the result must have an exit code.
Outcome outcome_of(report::ProvisionResult result);

// The outcome if a signal stopped the run, with the output until then.
Outcome stopped(int signal, std::string output);

}  // namespace sunup::controller

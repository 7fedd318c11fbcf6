// How a provision ended: what this process exits with, and what provision.json says.
#pragma once

#include <string>
#include <vector>

#include "base/exit_code.h"
#include "report/result_file.h"

namespace sunup::controller {

struct Outcome {
  int exit_code = 0;
  int signal = 0;                  // we were asked to stop by it, and did
  report::ProvisionResult result;  // result.error empty: it went well
  // What native provisioning knows besides; scripts only have an exit code.
  std::string failed_step = {};
  std::string hint = {};
  std::vector<std::string> ignored_fields = {};
  std::string timeline = {};     // how far it came, in one line
  bool replaces_result = false;  // a result was left that says something else
  std::string why_script = {};   // why the command's script was run and not the built-in steps; empty: no such thing
  bool refused = false;          // nothing was run
  bool base_only = false;        // only the base image was prepared (pre_provision_only): the node is yet to come

  bool ok() const { return exit_code == 0 && signal == 0; }
};

// The controller itself has failed: bad input, or there is nothing to run.
inline Outcome controller_failure(std::string error) {
  return {
      .exit_code = 1,
      .result = {
          .exit_code = std::to_string(exit_code::kAksNodeControllerError), .error = std::move(error), .output = ""}};
}

// What a run came to that left this result, which has an exit code, and can tell no more.
Outcome outcome_of(report::ProvisionResult result);

// Somebody asked us to stop, and this is what had been printed.
Outcome stopped(int signal, std::string output);

}  // namespace sunup::controller

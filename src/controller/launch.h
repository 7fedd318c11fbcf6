// `launch`: from a trigger of boot (unit, path unit, boothook) to the start of `provision`. Waits until the node is fit
// for it, reads the features file into the environment, brings hotfixes in, and says who provisions: this program, or
// the hotfix of it. It stands in for the launcher script of other images, so that a unit needs no shell.
//
// A hotfix is started as `<hotfix> provision ...`, and provision starts nobody: there is no way back here.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "controller/node.h"
#include "controller/outcome.h"
#include "controller/provision.h"
#include "host/task.h"

namespace sunup::controller {

// What a recorded failure means for this trigger: it is the answer, or provisioning is tried again.
enum class AfterFailure { kStands, kTryAgain };

struct Launch {
  std::optional<Outcome> ended;  // there is nothing to do, or it cannot be done
  bool recorded = false;         // `ended` is what the node's result says already
  ProvisionOptions options;      // else: what to provision with
  std::string hotfix;            // and the program to do it in our place; empty: we do
};

host::Task<Launch> prepare_launch(Node& node, AfterFailure after_failure = AfterFailure::kStands);

// The hotfix and its arguments.
std::vector<std::string> hotfix_argv(const Launch& launch);

}  // namespace sunup::controller

// `launch`: from a boot trigger (unit, path unit, boothook) to the start of `provision`. It waits until the node is
// ready to be provisioned, reads the features file into the environment, applies hotfixes, and determines the program
// that provisions: this one, or its hotfix. It replaces the launcher script of other images, so a unit needs no shell.
//
// A hotfix is started as `<hotfix> provision ...`, and provision starts no other program, so there is no loop.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "controller/node.h"
#include "controller/outcome.h"
#include "controller/provision.h"
#include "host/task.h"

namespace sunup::controller {

// How this trigger handles a recorded failure: as the outcome, or by provisioning again.
enum class AfterFailure { kStands, kTryAgain };

struct Launch {
  std::optional<Outcome> ended;  // set if there is nothing to do, or if it cannot be done
  bool recorded = false;         // `ended` is from the node's result
  ProvisionOptions options;      // otherwise: the input of provisioning
  std::string hotfix;            // the hotfix to be run; empty: this program provisions
};

host::Task<Launch> prepare_launch(Node& node, AfterFailure after_failure = AfterFailure::kStands);

// The hotfix and its arguments.
std::vector<std::string> hotfix_argv(const Launch& launch);

}  // namespace sunup::controller

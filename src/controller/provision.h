// `provision`: one provision of this node, from trigger to result. Whatever happens, a result appears: provision.json,
// then provision.complete.
#pragma once

#include <functional>
#include <string>

#include "controller/mode.h"
#include "controller/node.h"
#include "controller/outcome.h"
#include "host/task.h"

namespace sunup::controller {

struct ProvisionOptions {
  std::string config;       // --provision-config; empty: not given
  std::string nbc_command;  // --nbc-cmd; it is what runs if both are given
  bool dry_run = false;     // say what would run, change nothing
  Mode mode = Mode::kAuto;
  bool files_only = false;  // --root: nothing but files below it is to change
  std::string metadata;     // --metadata; empty: not given
  // Called when this run has begun: no result of an earlier one is left, and there is none of this one yet.
  std::function<void()> on_begin = {};

  bool given() const { return !config.empty() || !nbc_command.empty(); }
};

host::Task<Outcome> provision(Node& node, ProvisionOptions options);

// It did not come to a provision. Leaves that as the result, unless somebody else is provisioning or has done so.
host::Task<void> leave_without_provision(Node& node, Outcome outcome);

}  // namespace sunup::controller

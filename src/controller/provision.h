// `provision`: provisions this node once, from trigger to result. In every case there is a result: provision.json, then
// provision.complete.
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
  std::string nbc_command;  // --nbc-cmd; takes precedence if both are given
  bool dry_run = false;     // log what would run, and change nothing
  Mode mode = Mode::kAuto;
  bool files_only = false;          // --root: only files below it may change
  std::string metadata;             // --metadata; empty: not given
  std::string known_metadata = {};  // an answer of the metadata service from this boot; empty: none
  // Called when this run has begun: results of earlier runs are removed, and this run has none yet.
  std::function<void()> on_begin = {};

  bool given() const { return !config.empty() || !nbc_command.empty(); }
};

host::Task<Outcome> provision(Node& node, ProvisionOptions options);

// Provisioning could not be started. Writes that as the result, unless another process provisions or has done so.
host::Task<void> leave_without_provision(Node& node, Outcome outcome);

}  // namespace sunup::controller

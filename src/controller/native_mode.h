// The seam to native provisioning: the built-in steps instead of the image's scripts.
#pragma once

#include <map>
#include <string>

#include "contract/load.h"
#include "controller/node.h"
#include "controller/outcome.h"
#include "host/task.h"
#include "render/nbc_config.h"

namespace sunup::controller {

struct NativeOptions {
  bool dry_run = false;
  std::string metadata = {};  // a file with the metadata service's answer, which is then not asked
  // Of a command (render/nbc_config.h): what its sender has rendered, and the variables that fields come from.
  render::SentTexts sent = {};
  std::map<std::string, std::string, std::less<>> origins = {};
};

// Finishes a success whose deferred steps were cut off, if there is one and it is of this config. The result stays what
// it is, so nothing that goes wrong here is a failure.
host::Task<void> finish_natively(Node& node, contract::Loaded config, NativeOptions options);

// Provisions this node from `config`. On failure the outcome carries the step's exit code; the caller sees to the
// result files.
host::Task<Outcome> provision_natively(Node& node, contract::Loaded config, NativeOptions options);

}  // namespace sunup::controller

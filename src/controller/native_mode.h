// Native provisioning: the built-in steps instead of the image's scripts.
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
  std::string metadata = {};        // a file with the reply of the metadata service, which is then not queried
  std::string known_metadata = {};  // a reply of the metadata service; not used if it is incomplete
  // For a command (render/nbc_config.h): the texts that its sender has rendered, and the variables from which fields
  // are computed.
  render::SentTexts sent = {};
  std::map<std::string, std::string, std::less<>> origins = {};
};

// Completes the deferred steps of a successful run of the same config that was interrupted. The result does not change,
// so an error here is not a failure.
host::Task<void> finish_natively(Node& node, contract::Loaded config, NativeOptions options);

// Provisions this node from `config`. If it fails, the outcome has the step's exit code; the caller makes sure that the
// result files exist.
host::Task<Outcome> provision_natively(Node& node, contract::Loaded config, NativeOptions options);

}  // namespace sunup::controller

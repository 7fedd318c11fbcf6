// The ready-made command file ("nbc") that a control plane may send instead of a config, or beside one to compare both.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "controller/node.h"
#include "host/task.h"
#include "render/nbc_config.h"

namespace sunup::controller {

// Redacts the credentials among the variables of a command from then on, and keeps its bootstrap token in `node`.
void keep_secrets_of_nbc(Node& node, const std::string& text);

// The text of the command; its secrets are hidden. It must be a regular file of at most render::kMaxNbcBytes.
Result<std::string> read_nbc_file(Node& node, const std::string& path);

// /bin/bash -- <path>, under the same conditions.
Result<std::vector<std::string>> nbc_argv(Node& node, const std::string& path);

// The content of the command, for native provisioning. An error gives the column and the reason why it cannot be read.
// Tolerated findings are logged.
Result<render::NbcConfig> load_nbc_config(Node& node, const std::string& path);

// Whether the command only prepares a base image (PRE_PROVISION_ONLY). Also false if it cannot be read.
bool prepares_base_only(Node& node, const std::string& path);

// Logs the names of the variables that differ between the command file and the config. An error is logged and has no
// other effect.
host::Task<void> compare_with_config(Node& node, std::string nbc_path, std::string config_path);

// "a//b/../c" -> "a/c", without access to the disk.
std::string clean_path(const std::string& path);

}  // namespace sunup::controller

// The ready-made command file ("nbc") that a control plane may send instead of a config, or beside one to compare both.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "controller/node.h"
#include "host/task.h"
#include "render/nbc_config.h"

namespace sunup::controller {

// The text of the command. It must be a regular file of at most render::kMaxNbcBytes. Credentials among its variables
// are hidden from then on.
Result<std::string> read_nbc_file(Node& node, const std::string& path);

// /bin/bash -- <path>, with the same conditions.
Result<std::vector<std::string>> nbc_argv(Node& node, const std::string& path);

// What the command says, for native provisioning; the error has the column and the reason why it is not understood.
// What was tolerated in it is said in the log.
Result<render::NbcConfig> load_nbc_config(Node& node, const std::string& path);

// The command only prepares a base image (PRE_PROVISION_ONLY). False, too: it cannot be read.
bool prepares_base_only(Node& node, const std::string& path);

// Says which variables differ between the command file and what the config makes; names only. Whatever goes wrong is
// logged and changes nothing else.
host::Task<void> compare_with_config(Node& node, std::string nbc_path, std::string config_path);

// "a//b/../c" -> "a/c", without looking at the disk.
std::string clean_path(const std::string& path);

}  // namespace sunup::controller

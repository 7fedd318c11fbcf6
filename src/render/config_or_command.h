// Reads a text that is a config, or a command (--nbc-cmd of aks-node-controller) that stands for one.
#pragma once

#include <string_view>

#include "base/result.h"
#include "contract/load.h"
#include "render/nbc_config.h"

namespace sunup::render {

// A config. The error for a command says how to get its config.
Result<contract::Loaded> load_only_config(std::string_view text, std::string_view name,
                                          contract::Details* details = nullptr);

// The same for a command too: `command` then holds what it says besides its config.
Result<contract::Loaded> load_config_or_command(std::string_view text, std::string_view name, NbcConfig& command,
                                                contract::Details* details = nullptr);

}  // namespace sunup::render

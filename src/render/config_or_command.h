// Reads a text that is a config, or a command (--nbc-cmd of aks-node-controller) that can be converted to one.
#pragma once

#include <string_view>

#include "base/result.h"
#include "contract/load.h"
#include "render/nbc_config.h"

namespace sunup::render {

// Loads a config. For a command, the error explains how to convert it to a config.
Result<contract::Loaded> load_only_config(std::string_view text, std::string_view name,
                                          contract::Details* details = nullptr);

// The same for a config or a command. For a command, `command` then contains what it specifies besides its config.
Result<contract::Loaded> load_config_or_command(std::string_view text, std::string_view name, NbcConfig& command,
                                                contract::Details* details = nullptr);

}  // namespace sunup::render

// Loads a text that is a config, or a ready-made bootstrap command (nbc_command.h) where a config is expected. The text
// itself tells which of the two it is.
#pragma once

#include <string_view>

#include "contract/load.h"
#include "render/nbc_config.h"

namespace sunup::render {

// `command` receives what a command says besides its config; a config leaves it unchanged. `name` is the name of the
// text in messages.
Result<contract::Loaded> load_config_or_command(std::string_view text, std::string_view name, NbcConfig& command,
                                                contract::Details* details = nullptr);

}  // namespace sunup::render

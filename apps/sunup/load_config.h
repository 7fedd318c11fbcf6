// Loading a config on behalf of a verb, with everything a person should hear on stderr.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "contract/load.h"

namespace sunup {

// Nothing when the config cannot be used: then one line of reason is on stderr and `exit_code` is set (1 refused, 2
// not readable). What was tolerated goes to stderr as warnings, and the config comes back.
std::optional<contract::Configuration> load_config(const std::string& file, int& exit_code);

// The same for a text that has been read already.
std::optional<contract::Loaded> load_config_text(std::string_view text, const std::string& file, int& exit_code);

// The bytes of a file, or one line on stderr and the exit code: 2 it cannot be read, 1 it is too large for a config.
std::optional<std::string> read_input(const std::string& file, int& exit_code);

}  // namespace sunup

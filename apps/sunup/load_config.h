// Loading a config on behalf of a verb, with everything a person should hear on stderr.
#pragma once

#include <optional>
#include <string>

#include "contract/load.h"

namespace sunup {

// Nothing when the config cannot be used: then one line of reason is on stderr and `exit_code` is set (1 refused, 2
// not readable). What was tolerated goes to stderr as warnings, and the config comes back.
std::optional<contract::Configuration> load_config(const std::string& file, int& exit_code);

// The bytes of a file, or one line on stderr and exit code 2.
std::optional<std::string> read_input(const std::string& file, int& exit_code);

}  // namespace sunup

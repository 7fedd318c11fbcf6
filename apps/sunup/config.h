// The subcommands of `sunup config`, one file each.
#pragma once

#include <CLI/CLI.hpp>

namespace sunup {

void add_config_check(CLI::App& config, int& exit_code);
void add_config_explain(CLI::App& config, int& exit_code);
void add_config_diff(CLI::App& config, int& exit_code);
void add_config_from_nbc(CLI::App& config, int& exit_code);
void add_config_schema(CLI::App& config, int& exit_code);

}  // namespace sunup

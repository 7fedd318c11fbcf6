// The subcommands of `sunup render`: each is one file that adds itself to the verb.
#pragma once

#include <CLI/CLI.hpp>

namespace sunup {

void add_render_env(CLI::App& render, int& exit_code);
void add_render_custom_data(CLI::App& render, int& exit_code);
void add_render_cse(CLI::App& render, int& exit_code);
void add_render_vmss(CLI::App& render, int& exit_code);
void add_render_files(CLI::App& render, int& exit_code);

}  // namespace sunup

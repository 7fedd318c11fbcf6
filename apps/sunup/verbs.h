// The verbs of sunup, and those of `config` and `render`. Each one is a file that adds its subcommand, with options and
// an example in --help, and sets the exit code when it runs (0 success, 1 a negative answer, 2 wrong usage or a file
// that cannot be read).
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace sunup {

// These two functions instantiate what is large in CLI11. A verb that called CLI11 itself would compile all of it once
// more.
CLI::App* add_verb(CLI::App& above, std::string name, std::string summary);
CLI::Validator one_of(std::vector<std::string> words);

void add_config_check(CLI::App& config, int& exit_code);
void add_config_explain(CLI::App& config, int& exit_code);
void add_config_diff(CLI::App& config, int& exit_code);
void add_config_from_nbc(CLI::App& config, int& exit_code);
void add_config_schema(CLI::App& config, int& exit_code);
void add_render_env(CLI::App& render, int& exit_code);
void add_render_custom_data(CLI::App& render, int& exit_code);
void add_render_cse(CLI::App& render, int& exit_code);
void add_render_vmss(CLI::App& render, int& exit_code);
void add_render_files(CLI::App& render, int& exit_code);

void add_cluster_id(CLI::App& app, int& exit_code);
void add_collect(CLI::App& app, int& exit_code);
void add_drift(CLI::App& app, int& exit_code);
void add_exit_code(CLI::App& app, int& exit_code);
void add_help(CLI::App& app, int& exit_code);
void add_nodeclass(CLI::App& app, int& exit_code);
void add_resolve(CLI::App& app, int& exit_code);
void add_serve(CLI::App& app, int& exit_code);
void add_status(CLI::App& app, int& exit_code);
void add_timeline(CLI::App& app, int& exit_code);

}  // namespace sunup

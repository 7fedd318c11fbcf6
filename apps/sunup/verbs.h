// The verbs of sunup. Each one is a file that adds its subcommand, with options and an example in --help, and sets the
// exit code when it runs (0 success, 1 a negative answer, 2 wrong usage or a file that cannot be read).
#pragma once

#include <CLI/CLI.hpp>

namespace sunup {

using AddVerb = void (*)(CLI::App& app, int& exit_code);

void add_cluster_id(CLI::App& app, int& exit_code);
void add_collect(CLI::App& app, int& exit_code);
void add_config(CLI::App& app, int& exit_code);
void add_drift(CLI::App& app, int& exit_code);
void add_exit_code(CLI::App& app, int& exit_code);
void add_help(CLI::App& app, int& exit_code);
void add_nodeclass(CLI::App& app, int& exit_code);
void add_render(CLI::App& app, int& exit_code);
void add_resolve(CLI::App& app, int& exit_code);
void add_serve(CLI::App& app, int& exit_code);
void add_status(CLI::App& app, int& exit_code);
void add_timeline(CLI::App& app, int& exit_code);
void add_version(CLI::App& app, int& exit_code);

inline constexpr AddVerb kVerbs[] = {
    add_config, add_render,   add_resolve, add_drift,     add_cluster_id, add_nodeclass, add_serve,
    add_status, add_timeline, add_collect, add_exit_code, add_version,    add_help,
};

}  // namespace sunup

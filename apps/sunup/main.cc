// sunup: checks, explains, renders and resolves configs, and inspects results. Each verb has its own file; this one
// only connects them.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <iostream>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "base/nearest.h"
#include "base/quoted.h"
#include "standard_output.h"
#include "verbs.h"

namespace {

std::vector<std::string_view> names_of(const std::vector<const CLI::App*>& commands) {
  std::vector<std::string_view> names;
  for (const CLI::App* command : commands) names.push_back(command->get_name());
  return names;
}

// The parser reports only that a command is missing, even if an unknown command or flag was given.
std::string reason_of(const CLI::App& app, const CLI::Error& error) {
  const CLI::App* asked = &app;
  while (!asked->get_subcommands().empty()) asked = asked->get_subcommands().front();
  const std::vector<std::string> rest = asked->remaining();
  if (error.get_name() != "RequiredError" || rest.empty()) return error.what();
  if (rest[0].starts_with('-')) return "unknown flag '" + sunup::one_line(rest[0]) + "'";
  const auto names = names_of(asked->get_subcommands([](const CLI::App*) { return true; }));
  if (names.empty()) return error.what();
  const auto meant = sunup::nearest(rest[0], names);
  return "unknown command '" + sunup::one_line(rest[0]) + "'" + (meant ? "; did you mean '" + *meant + "'?" : "");
}

void add_config(CLI::App& app, int& exit_code) {
  auto* config = sunup::add_verb(app, "config", "check, explain and compare node configs");
  config->require_subcommand(1);
  config->footer("Example: sunup config check node.json");
  for (const auto add : {sunup::add_config_check, sunup::add_config_explain, sunup::add_config_diff,
                         sunup::add_config_from_nbc, sunup::add_config_schema})
    add(*config, exit_code);
}

void add_render(CLI::App& app, int& exit_code) {
  auto* render = sunup::add_verb(
      app, "render",
      "render a node config: environment of the node's scripts, custom data, VM model, files of the node");
  render->require_subcommand(1);
  render->footer("Example: sunup render custom-data --config node.json --os ubuntu2404");
  for (const auto add : {sunup::add_render_env, sunup::add_render_custom_data, sunup::add_render_cse,
                         sunup::add_render_vmss, sunup::add_render_files})
    add(*render, exit_code);
}

void add_version(CLI::App& app, int&) {
  auto* verb = sunup::add_verb(app, "version", "print the version");
  verb->footer("Example: sunup version");
  verb->callback([] { std::puts(SUNUP_VERSION); });
}

int run(int argc, char** argv) {
  CLI::App app{"sunup: creates and inspects configurations, custom data and results of AKS nodes", "sunup"};
  app.require_subcommand(1);
  app.set_version_flag("--version", SUNUP_VERSION, "print the version");
  app.footer("Example: sunup config check node.json && sunup render custom-data --config node.json --os ubuntu2404");
  app.failure_message([](const CLI::App* failed, const CLI::Error& error) {
    return "sunup: " + reason_of(*failed, error) + " (see --help)\n";
  });

  int exit_code = 0;
  for (const auto add : {add_config, add_render, sunup::add_resolve, sunup::add_drift, sunup::add_cluster_id,
                         sunup::add_nodeclass, sunup::add_serve, sunup::add_status, sunup::add_timeline,
                         sunup::add_collect, sunup::add_exit_code, add_version, sunup::add_help})
    add(app, exit_code);

  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    // Help is printed to stdout with exit code 0; any other error is one line on stderr with exit code 2.
    std::ostringstream help;
    exit_code = app.exit(error, help, std::cerr) == 0 ? 0 : 2;
    std::fputs(help.str().c_str(), stdout);
  }
  return exit_code;
}

}  // namespace

int main(int argc, char** argv) {
  sunup::watch_standard_output();
  return sunup::finish_standard_output(run(argc, argv));
}

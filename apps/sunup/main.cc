// sunup: check, explain, render, resolve, and look at what happened. One file a verb; this one only wires them up.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <iostream>
#include <sstream>

#include "standard_output.h"
#include "verbs.h"

namespace {

int run(int argc, char** argv) {
  CLI::App app{"sunup: makes and studies what takes an AKS node from config on disk to NodeReady", "sunup"};
  app.require_subcommand(1);
  app.set_version_flag("--version", SUNUP_VERSION, "print the version");
  app.failure_message([](const CLI::App*, const CLI::Error& error) {
    return "sunup: " + std::string(error.what()) + " (--help tells more)\n";
  });

  int exit_code = 0;
  for (const auto add : sunup::kVerbs) add(app, exit_code);

  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    // Help goes to stdout and is a success; everything else is one line on stderr and exit 2.
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

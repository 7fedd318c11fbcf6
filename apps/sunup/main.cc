// sunup: check, explain, render, resolve, and look at what happened. One file a verb; this one only wires them up.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <iostream>

#include "verbs.h"

int main(int argc, char** argv) {
  CLI::App app{"sunup: makes and studies what takes an AKS node from config on disk to NodeReady", "sunup"};
  app.require_subcommand(1);
  app.failure_message([](const CLI::App*, const CLI::Error& error) {
    return "sunup: " + std::string(error.what()) + " (--help tells more)\n";
  });

  int exit_code = 0;
  for (const auto add : sunup::kVerbs) add(app, exit_code);

  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    // Help goes to stdout and is a success; everything else is one line on stderr and exit 2.
    return app.exit(error, std::cout, std::cerr) == 0 ? 0 : 2;
  }
  return exit_code;
}

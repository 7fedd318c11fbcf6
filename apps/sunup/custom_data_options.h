// The common parts of `render custom-data` and `render vmss`: their options, and loading the config with its warnings.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "contract/load.h"
#include "render/custom_data.h"
#include "results_flags.h"

namespace sunup {

struct CustomDataFlags {
  std::string config;
  std::string os = "ubuntu2204";
  std::string form = "auto";
  std::string compression = "auto";
  std::string placeholder;
  ResultsFlags results;
  std::vector<std::string> hooks;
  bool verbatim = false;
  bool strict = false;

  void add_to(CLI::App& verb);
};

// A config and the options for its custom data. Empty after an error: then a one-line reason is printed on stderr and
// `exit_code` is set (1: the config is refused; 2: wrong usage or a file that cannot be read).
struct ForNode {
  contract::Configuration config;
  render::CustomDataOptions options;
};
std::optional<ForNode> load_for_node(const CustomDataFlags& flags, int& exit_code);

// Prints the result on stdout, or "sunup: <what> (<hint>)" on stderr. Returns the exit code.
int print_or_complain(const Result<std::string>& text);

}  // namespace sunup

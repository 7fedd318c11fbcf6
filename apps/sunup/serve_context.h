// The options of `sunup serve` about the nodes that it bootstraps: their cluster, and the address to which they send
// their results.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "base/result.h"
#include "results_flags.h"

namespace sunup {

struct ServeContext {
  std::string settings;
  std::string image_versions;
  ResultsFlags results;

  void add_to(CLI::App& verb);
  // Reads the files and passes them to the service. Must be called before the server starts. Prints warnings on stderr.
  Result<void> apply() const;
};

}  // namespace sunup

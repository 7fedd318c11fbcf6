// The options of `sunup serve` that tell which cluster it bootstraps nodes for.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "base/result.h"

namespace sunup {

struct ServeContext {
  std::string settings;
  std::string image_versions;

  void add_to(CLI::App& verb);
  // Reads the files and passes them to the service. Must be called before the server starts. Prints warnings on stderr.
  Result<void> apply() const;
};

}  // namespace sunup

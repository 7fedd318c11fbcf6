// The options of the verbs that make custom data: the address to which a node sends its result.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>

#include "base/result.h"
#include "render/result_service.h"

namespace sunup {

struct ResultsFlags {
  std::string url;
  std::string ca_file;

  void add_to(CLI::App& verb);
  // Reads the CA certificates. Empty without --results-url.
  Result<std::optional<render::ResultService>> read() const;
};

}  // namespace sunup

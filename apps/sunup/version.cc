#include <cstdio>

#include "verbs.h"

namespace sunup {

void add_version(CLI::App& app, int&) {
  auto* verb = app.add_subcommand("version", "print the version");
  verb->footer("Example: sunup version");
  verb->callback([] { std::puts(SUNUP_VERSION); });
}

}  // namespace sunup

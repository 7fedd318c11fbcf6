#include <fmt/format.h>

#include "render.h"
#include "render/cse_command.h"

namespace sunup {

void add_render_cse(CLI::App& render, int&) {
  auto* verb =
      render.add_subcommand("cse", "the command of the custom script extension, which waits for the node's result");
  verb->footer("Example: sunup render cse");
  verb->add_option("--config", "accepted for symmetry: the command is the same for every config")->type_name("FILE");
  verb->callback([] { fmt::print("{}\n", render::kCseCommand); });
}

}  // namespace sunup

#include <fmt/format.h>

#include <memory>
#include <string>

#include "load_config.h"
#include "render/vmss.h"
#include "verbs.h"

namespace sunup {

void add_render_cse(CLI::App& render, int& exit_code) {
  auto* verb = add_verb(render, "cse",
                        "print the command of the custom script extension, which waits for the result of the node");
  verb->footer("Example: sunup render cse");
  const auto config = std::make_shared<std::string>();
  verb->add_option("--config", *config, "validated only: the command is the same for every config")->type_name("FILE");
  verb->callback([config, &exit_code] {
    if (!config->empty() && !load_config(*config, Checked::kNot, exit_code)) return;
    fmt::print("{}\n", render::kCseCommand);
  });
}

}  // namespace sunup

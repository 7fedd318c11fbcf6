// sunup config: reads, checks and explains node configs.
#include "config.h"

#include "verbs.h"

namespace sunup {

void add_config(CLI::App& app, int& exit_code) {
  auto* config = app.add_subcommand("config", "check, explain and compare node configs");
  config->require_subcommand(1);
  config->footer("Example: sunup config check node.json");
  add_config_check(*config, exit_code);
  add_config_explain(*config, exit_code);
  add_config_diff(*config, exit_code);
  add_config_from_nbc(*config, exit_code);
  add_config_schema(*config, exit_code);
}

}  // namespace sunup

#include "render.h"

#include "verbs.h"

namespace sunup {

void add_render(CLI::App& app, int& exit_code) {
  auto* render = app.add_subcommand(
      "render", "render a node config: environment of the node's scripts, custom data, VM model, files of the node");
  render->require_subcommand(1);
  render->footer("Example: sunup render custom-data --config node.json --os ubuntu2404");
  add_render_env(*render, exit_code);
  add_render_custom_data(*render, exit_code);
  add_render_cse(*render, exit_code);
  add_render_vmss(*render, exit_code);
  add_render_files(*render, exit_code);
}

}  // namespace sunup

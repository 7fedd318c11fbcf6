#include "render.h"

#include "verbs.h"

namespace sunup {

void add_render(CLI::App& app, int& exit_code) {
  auto* render = app.add_subcommand("render", "what a node config turns into: the environment of the node's scripts");
  render->require_subcommand(1);
  add_render_env(*render, exit_code);
}

}  // namespace sunup

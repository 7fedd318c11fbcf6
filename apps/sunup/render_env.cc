#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "load_config.h"
#include "render/cse_env.h"
#include "verbs.h"

namespace sunup {
namespace {

struct Options {
  std::string config, components, containerd_version, format = "json";
  bool strict = false;
};

int refuse(const Error& error) {
  std::fprintf(stderr, "sunup: %s\n", error.what.c_str());
  return 1;
}

int run(const Options& options) {
  int exit_code = 0;
  const auto loaded = load_config(options.config, options.strict ? Checked::kStrict : Checked::kNot, exit_code);
  if (!loaded) return exit_code;

  if (!options.containerd_version.empty()) remark_on_containerd_version(options.containerd_version);
  render::ImageFacts image{options.containerd_version, {}};
  if (!options.components.empty()) {
    const auto text = read_input(options.components, exit_code);
    if (!text) return exit_code;
    auto images = render::parse_gpu_components(*text);
    if (!images) return refuse(images.error().in(options.components));
    image.gpu = *std::move(images);
  }

  std::vector<std::string> remarks;
  const render::Environment environment = render::cse_environment(loaded->config, image, &remarks);
  for (const std::string& remark : remarks)
    std::fprintf(stderr, "%s: warning: %s\n", options.config.c_str(), remark.c_str());

  std::string text;
  if (options.format == "json") {
    text = render::environment_json(environment);
  } else {
    auto shell = render::environment_shell(environment);
    if (!shell) return refuse(shell.error());
    text = *std::move(shell);
  }
  std::fputs(text.c_str(), stdout);
  return 0;
}

}  // namespace

void add_render_env(CLI::App& render, int& exit_code) {
  auto options = std::make_shared<Options>();
  auto* env = add_verb(render, "env", "print the environment for the provisioning scripts of a node image");
  env->add_option("--config", options->config, "the node config (JSON); - is standard input")->required();
  env->add_option("--containerd-version", options->containerd_version,
                  "the output of containerd --version on the image, or only the version; default: 1.x");
  env->add_option("--components", options->components,
                  "the component list of the image (on a node: /opt/azure/components.json), which contains the GPU "
                  "driver versions; without it they are empty");
  env->add_option("--format", options->format, "json: one object of strings; sh: lines for a shell to source")
      ->check(one_of({"json", "sh"}))
      ->capture_default_str();
  env->add_flag("--strict", options->strict, kStrictHelp);
  env->footer(
      "Example:\n  sunup render env --config node.json --containerd-version 2.0.0 --format sh > env.sh\nThe output "
      "contains the secrets of the config, as the scripts get them. If the config is refused, the exit code is 1\nand "
      "there is no output.");
  env->callback([options, &exit_code] { exit_code = run(*options); });
}

}  // namespace sunup

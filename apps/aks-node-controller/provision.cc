#include "controller/provision.h"

#include "controller/own_output.h"
#include "verbs.h"

namespace sunup {
namespace {

std::optional<std::string> wrong_mode(std::string_view value) {
  if (controller::parse_mode(value)) return std::nullopt;
  return "must be auto, native or scripts";
}

constexpr controller::Flag kFlags[] = {
    {"provision-config", "FILE", "the node config (AKSNodeConfig, JSON)"},
    {"nbc-cmd", "FILE", "a ready-made command file to run instead; with both, the environments are compared"},
    {"dry-run", "", "say what would be done, change nothing"},
    {"mode", "MODE",
     "scripts: the image's own scripts; native: the built-in steps; auto (default): what the image says", wrong_mode},
    {"root", "DIR", "treat DIR as / (files only: units, kernel and network are left alone)", wrong_root},
    {"metadata", "FILE", "with --root: the metadata service's answer, which is not asked there"},
};

int run(Program& program, const controller::CommandLine& line) {
  controller::ProvisionOptions options;
  options.config = line.flags.text("provision-config");
  options.nbc_command = line.flags.text("nbc-cmd");
  options.dry_run = line.flags.on("dry-run");
  options.mode = controller::parse_mode(line.flags.text("mode")).value_or(controller::Mode::kAuto);
  options.files_only = !line.flags.text("root").empty();
  options.metadata = line.flags.text("metadata");
  if (!options.metadata.empty() && !options.files_only) {
    controller::write_stderr("--metadata needs --root: a node asks the metadata service itself\n");
    return 1;
  }
  return exit_as(program, program.loop().run(controller::provision(program.node_to_provision(), std::move(options))));
}

}  // namespace

const Verb kProvision{.syntax = {"provision", "provision this node and leave the result",
                                 "aks-node-controller provision --provision-config "
                                 "/opt/azure/containers/aks-node-controller-config.json",
                                 kFlags},
                      .run = run,
                      .leaves_result = true};

}  // namespace sunup

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
    {"nbc-cmd", "FILE",
     "a ready-made command file instead (built-in steps read it, scripts run it); if both are given, their "
     "environments are compared"},
    {"dry-run", "", "print what would be done, change nothing (without --root, the log and the events record it)"},
    {"mode", "MODE",
     "scripts: run the image's scripts; native: run the built-in steps; auto (default): as the image specifies",
     wrong_mode},
    {"root", "DIR", "treat DIR as / (files only: units, kernel and network are not changed)", wrong_root},
    {"metadata", "FILE", "with --root: the metadata service's response, which is not queried in this case"},
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
    controller::write_stderr("--metadata needs --root: a node queries the metadata service itself\n");
    return 1;
  }
  return exit_as(program, program.loop().run(controller::provision(program.node_to_provision(), std::move(options))));
}

}  // namespace

const Verb kProvision{
    .syntax = {"provision", "provision this node and write the result",
               "aks-node-controller provision --provision-config "
               "/opt/azure/containers/aks-node-controller-config.json",
               kFlags, "Without --root or --dry-run it changes this machine: it makes it a node of the cluster."},
    .run = run,
    .leaves_result = true};

}  // namespace sunup

#include "controller/provision.h"

#include <unistd.h>

#include <csignal>

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
    {"root", "DIR", "treat DIR as / (files only: units, kernel and network are left alone)"},
};

// Ends as if we had never handled the signal: that is what whoever sent it expects to see.
[[noreturn]] void end_by(int signal) {
  ::signal(signal, SIG_DFL);
  sigset_t only;
  sigemptyset(&only);
  sigaddset(&only, signal);
  ::raise(signal);
  ::pthread_sigmask(SIG_UNBLOCK, &only, nullptr);
  ::_exit(128 + signal);
}

int run(Program& program, const controller::CommandLine& line) {
  controller::ProvisionOptions options;
  options.config = line.flags.text("provision-config");
  options.nbc_command = line.flags.text("nbc-cmd");
  options.dry_run = line.flags.on("dry-run");
  options.mode = controller::parse_mode(line.flags.text("mode")).value_or(controller::Mode::kAuto);
  options.files_only = !line.flags.text("root").empty();
  const controller::Outcome outcome = program.loop().run(controller::provision(program.node(), std::move(options)));
  if (outcome.signal != 0) end_by(outcome.signal);
  return outcome.exit_code;
}

}  // namespace

const Verb kProvision{{"provision", "provision this node and leave the result",
                       "aks-node-controller provision --provision-config "
                       "/opt/azure/containers/aks-node-controller-config.json",
                       kFlags},
                      run};

}  // namespace sunup

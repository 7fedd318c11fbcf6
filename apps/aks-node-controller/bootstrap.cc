#include "controller/bootstrap.h"

#include "controller/own_output.h"
#include "verbs.h"

namespace sunup {
namespace {

int run(Program& program, const controller::CommandLine&) {
  controller::Node& node = program.node_to_provision();
  const auto off = node.files.exists(controller::kCloudInitSwitch);
  if (!off || !*off) {
    const std::string why = off ? "" : ": " + off.error().what;
    controller::write_stderr(std::string("bootstrap: cloud-init is not switched off on this machine (") +
                             controller::kCloudInitSwitch + why + "); nothing is done beside it\n");
    return 1;
  }
  return exit_as(program, program.loop().run(controller::bootstrap(node, {})));
}

}  // namespace

const Verb kBootstrap{.syntax = {"bootstrap",
                                 "set up this VM without cloud-init, provision it and report to Azure (run at boot)",
                                 "aks-node-controller bootstrap",
                                 {},
                                 "It changes this machine: host name, users, SSH keys, and all that provisioning does. "
                                 "Without\n   /etc/cloud/cloud-init.disabled it does nothing and fails."},
                      .run = run,
                      .leaves_result = true};

}  // namespace sunup

#include "controller/launch.h"

#include <unistd.h>

#include <cerrno>
#include <csignal>

#include "controller/os_reason.h"
#include "verbs.h"

namespace sunup {
namespace {

// Returns only if the hotfix cannot be started.
void hand_over(Program& program, const controller::Launch& launch) {
  controller::Node& node = program.node();
  std::vector<std::string> argv = controller::hotfix_argv(launch);
  std::vector<char*> words;
  for (std::string& word : argv) words.push_back(word.data());
  words.push_back(nullptr);
  node.log.info("running the hotfix", {{"program", launch.hotfix}});
  program.finish_output();
  // The hotfix would inherit the blocked and ignored signals, so they are reset. A stop request that has arrived in the
  // meantime ends this program here.
  sigset_t none;
  sigset_t before;
  sigemptyset(&none);
  ::signal(SIGPIPE, SIG_DFL);
  ::signal(SIGXFSZ, SIG_DFL);
  ::pthread_sigmask(SIG_SETMASK, &none, &before);
  ::execv(words[0], words.data());
  const int error = errno;
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  ::signal(SIGPIPE, SIG_IGN);
  ::signal(SIGXFSZ, SIG_IGN);
  node.log.error("cannot start the hotfix, continuing without it",
                 {{"program", launch.hotfix}, {"error", controller::os_reason(error)}});
}

int run(Program& program, const controller::CommandLine&) {
  controller::Node& node = program.node_to_provision();
  controller::Launch launch = program.loop().run(controller::prepare_launch(node));
  if (launch.ended) return exit_as(program, *launch.ended);
  if (!launch.hotfix.empty()) hand_over(program, launch);
  return exit_as(program, program.loop().run(controller::provision(node, std::move(launch.options))));
}

}  // namespace

const Verb kLaunch{.syntax = {"launch",
                              "provision when the node is ready for it, with features and hotfixes (run at boot)",
                              "aks-node-controller launch",
                              {},
                              "It changes this machine: it makes it a node of the cluster. Use plan, or provision "
                              "--dry-run, to see what would\n   be done."},
                   .run = run,
                   .leaves_result = true};

}  // namespace sunup

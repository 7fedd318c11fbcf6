#include "controller/provision_wait.h"

#include "base/duration.h"
#include "controller/wait_for.h"
#include "verbs.h"

namespace sunup {
namespace {

std::optional<std::string> wrong_timeout(std::string_view value) {
  if (parse_flag_duration(value)) return std::nullopt;
  return "must be a duration such as 90s or 15m (a bare number is seconds)";
}

std::optional<std::string> wrong_event(std::string_view value) {
  if (value == "result" || controller::parse_awaited(value)) return std::nullopt;
  return "must be result, kubelet, ready or pod";
}

constexpr controller::Flag kFlags[] = {
    {"for", "EVENT",
     "result (default), kubelet (it has completed its start), ready (the node is Ready) or pod (a pod runs on it)",
     wrong_event},
    {"timeout", "DURATION", "give up after this time, e.g. 15m (default: wait indefinitely)", wrong_timeout},
};

int run(Program& program, const controller::CommandLine& line) {
  const auto limit = parse_flag_duration(line.flags.text("timeout"));
  const auto event = controller::parse_awaited(line.flags.text("for"));
  const int exit_code = program.loop().run(event ? controller::wait_for(program.node(), *event, limit)
                                                 : controller::provision_wait(program.node(), limit));
  program.watch().leave_descriptors_to_a_child();
  return exit_code;
}

}  // namespace

const Verb kProvisionWait{
    {"provision-wait",
     "wait for the result, print it, and exit with 0 (provisioned) or 1; or wait for kubelet, Ready or a pod",
     "aks-node-controller provision-wait --timeout 15m", kFlags,
     "It is recorded in /var/log/azure/aks-node-controller.log and in the guest agent's events below /var/log/azure, "
     "and "
     "creates\n   /opt/azure/containers, which it watches. Nothing else is changed."},
    run};

}  // namespace sunup

#include "controller/provision_wait.h"

#include "controller/duration.h"
#include "verbs.h"

namespace sunup {
namespace {

std::optional<std::string> wrong_timeout(std::string_view value) {
  if (controller::parse_duration(value)) return std::nullopt;
  return "must be a duration such as 90s or 15m (a bare number is seconds)";
}

constexpr controller::Flag kFlags[] = {
    {"timeout", "DURATION", "give up after this time, e.g. 15m (default: wait indefinitely)", wrong_timeout},
};

int run(Program& program, const controller::CommandLine& line) {
  const auto limit = controller::parse_duration(line.flags.text("timeout"));
  const int exit_code = program.loop().run(controller::provision_wait(program.node(), limit));
  program.watch().leave_descriptors_to_a_child();
  return exit_code;
}

}  // namespace

const Verb kProvisionWait{{"provision-wait", "wait for the result, print it, and exit with 0 (provisioned) or 1",
                           "aks-node-controller provision-wait --timeout 15m", kFlags},
                          run};

}  // namespace sunup

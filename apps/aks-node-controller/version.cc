#include "controller/own_output.h"
#include "verbs.h"

namespace sunup {
namespace {

int run(Program&, const controller::CommandLine&) {
  controller::write_stdout(SUNUP_VERSION "\n");
  return 0;
}

}  // namespace

const Verb kVersion{{"version", "print the version", "aks-node-controller version", {}}, run};

}  // namespace sunup

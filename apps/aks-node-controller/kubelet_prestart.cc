#include <cstdlib>

#include "base/text.h"
#include "plan/prestart.h"
#include "verbs.h"

namespace sunup {
namespace {

// The unit's drop-in sets these variables. As in the original's scripts, "true" is recognized in any case.
bool is_true(const char* name) {
  const char* value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe)
  return value != nullptr && equal_ignoring_case(value, "true");
}

int run(Program& program, const controller::CommandLine&) {
  render::node::MetadataRestriction restriction;
  restriction.enabled = is_true("ENABLE_IMDS_RESTRICTION");
  restriction.in_mangle_table = is_true("INSERT_IMDS_RESTRICTION_RULE_TO_MANGLE_TABLE");
  if (const char* address = std::getenv("PRIMARY_NIC_IP"); address != nullptr)  // NOLINT(concurrency-mt-unsafe)
    restriction.primary_ip = address;
  report::Log& log = program.node().log;
  const plan::Warn warn = [&log](const Error& error) {
    log.warn("kubelet starts without an optional setup step", {{"error", error.what}});
  };
  const auto done = program.loop().run(plan::kubelet_prestart(program.node().host, std::move(restriction), warn));
  if (done) return 0;
  log.error("kubelet must not start", {{"error", done.error().what}, {"hint", done.error().hint}});
  return 1;
}

}  // namespace

const Verb kKubeletPrestart{{"kubelet-prestart",
                             "set up firewall rules and the shared mount, and wait for containerd's socket (run by "
                             "kubelet's unit before kubelet)",
                             "aks-node-controller kubelet-prestart",
                             {}},
                            run};

}  // namespace sunup

// provision-wait on the simulated machine, for events that no real file system produces on demand. The rest is in
// tests/dropin.
#include "controller/provision_wait.h"

#include <gtest/gtest.h>

#include "base/node_paths.h"
#include "controller/test_machine.h"

namespace sunup::controller {
namespace {

using namespace std::chrono_literals;

TEST(ProvisionWait, LooksOnceMoreAtTheLimitForAMarkerThatNobodyToldOf) {
  for (const bool comes : {true, false}) {
    TestMachine machine;
    std::optional<int> exit_code;
    machine.run(
        [&](Node& node) {
          node.loop.call_at(node.loop.now() + 5s, [&machine, comes] {
            machine.put(paths::kResult, comes ? R"({"ExitCode":"0"})" : R"({"ExitCode":"0)");  // unseen by watchers
            if (comes) machine.put(paths::kComplete, "");
          });
          return provision_wait(node, 10s);
        },
        &exit_code);
    EXPECT_EQ(exit_code, comes ? 0 : 1);
    EXPECT_GE(machine.took, 10s);
  }
}

}  // namespace
}  // namespace sunup::controller

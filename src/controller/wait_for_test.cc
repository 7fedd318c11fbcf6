// provision-wait --for on the simulated machine: what it waits for, and what ends it.
#include "controller/wait_for.h"

#include <gtest/gtest.h>

#include "base/node_paths.h"
#include "controller/test_machine.h"
#include "plan/kubelet_health.h"

namespace sunup::controller {
namespace {

using namespace std::chrono_literals;

TEST(WaitFor, KubeletIsReachedByItsSocket) {
  for (const bool comes : {true, false}) {
    TestMachine machine;
    std::optional<int> exit_code;
    if (comes) machine.put(plan::kKubeletStarted, "");
    if (comes) machine.world.disk[plan::kKubeletStarted].kind = host::FileKind::kSocket;
    machine.run([&](Node& node) { return wait_for(node, Awaited::kKubelet, 10s); }, &exit_code);
    EXPECT_EQ(exit_code, comes ? 0 : 1);
  }
}

TEST(WaitFor, FailedProvisioningEndsIt) {
  TestMachine machine;
  std::optional<int> exit_code;
  machine.put(paths::kResult, R"({"ExitCode":"51","Error":"no way"})");
  machine.put(paths::kComplete, "");
  machine.run([&](Node& node) { return wait_for(node, Awaited::kReady, 10min); }, &exit_code);
  EXPECT_EQ(exit_code, 1);
  EXPECT_LT(machine.took, 1min);
}

TEST(WaitFor, ReadyNeedsMoreThanASuccess) {
  TestMachine machine;
  std::optional<int> exit_code;
  machine.put(paths::kResult, R"({"ExitCode":"0"})");
  machine.put(paths::kComplete, "");
  machine.run([&](Node& node) { return wait_for(node, Awaited::kReady, 10s); }, &exit_code);
  EXPECT_EQ(exit_code, 1);
  EXPECT_GE(machine.took, 10s);
}

}  // namespace
}  // namespace sunup::controller

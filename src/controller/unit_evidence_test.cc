#include "controller/unit_evidence.h"

#include <gtest/gtest.h>

#include "controller/test_machine.h"

namespace sunup::controller {
namespace {

host::Task<bool> keep(Node& node) {
  std::vector<std::string> units = {"containerd.service", "aks-log-collector.timer"};
  co_await keep_unit_evidence(node, std::move(units));
  co_return true;
}

TEST(UnitEvidence, IsWhereTheHintsSay) {
  TestMachine machine;
  machine.world.programs["systemctl"].output = "containerd.service - failed\n";
  std::optional<bool> done;
  machine.run(keep, &done);
  ASSERT_TRUE(done);
  EXPECT_EQ(machine.world.disk.at("/var/log/azure/containerd-status.log").content, "containerd.service - failed\n");
  EXPECT_TRUE(machine.world.disk.contains("/var/log/azure/aks-log-collector.timer-status.log"));
}

TEST(UnitEvidence, ThatCannotBeHadIsNoSecondFailure) {
  TestMachine machine;
  std::optional<bool> done;
  machine.run(keep, &done);
  EXPECT_TRUE(done);
  EXPECT_FALSE(machine.world.disk.contains("/var/log/azure/containerd-status.log"));
}

}  // namespace
}  // namespace sunup::controller

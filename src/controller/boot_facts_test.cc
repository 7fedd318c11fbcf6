#include "controller/boot_facts.h"

#include <gtest/gtest.h>

#include "controller/test_machine.h"

namespace sunup::controller {
namespace {

host::Task<BootFacts> facts(Node& node) {
  BootFacts facts;
  co_await gather_boot_facts(node.host.units, facts);
  co_return facts;
}

BootFacts facts_of(const std::vector<std::string>& services) {
  TestMachine machine;
  for (const std::string& service : services) {
    machine.world.units[service].active = "active";
    machine.world.units[service].active_since_us = 700'000;
  }
  std::optional<BootFacts> found;
  machine.run([](Node& node) { return facts(node); }, &found);
  return found.value_or(BootFacts());
}

TEST(BootFacts, NetworkStageIsFoundByItsOldNameAndByTheOneOfNewerCloudInits) {
  for (const char* name : {"cloud-init.service", "cloud-init-network.service"}) {
    const report::RunTimes times = facts_of({"cloud-init-local.service", name}).times;
    EXPECT_NE(times.cloud_init, 0) << name;
    EXPECT_NE(times.cloud_init_local, 0);
    EXPECT_EQ(times.cloud_final, 0);
  }
}

TEST(BootFacts, GuestAgentIsFoundByEitherName) {
  for (const char* name : {"walinuxagent.service", "waagent.service"})
    EXPECT_NE(facts_of({name}).times.guest_agent, 0) << name;
}

TEST(BootFacts, BootThatGoesOnHasNoSummary) {
  EXPECT_EQ(facts_of({}).systemd_summary, "") << "the result has 4095 bytes for everything";
}

}  // namespace
}  // namespace sunup::controller

#include "host/sim/machine.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace sunup::host::sim {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

struct SimMachine : testing::Test {
  World world{7};
  template <class T>
  T run(Machine& machine, Task<T> task) {
    std::optional<T> result;
    EXPECT_EQ(machine.loop().run(std::move(task), &result), EndOfRun::kDone);
    return std::move(*result);
  }
};

TEST_F(SimMachine, TimePassesOnlyWhenNothingIsLeftToDo) {
  Machine machine(world);
  const TimePoint start = machine.loop().now();
  auto waits = [](Loop& loop) -> Task<int> {
    co_await loop.after(24h - 1s);
    co_return 1;
  };
  EXPECT_EQ(run(machine, waits(machine.loop())), 1);
  EXPECT_EQ(machine.loop().now() - start, 24h - 1s);
}

TEST_F(SimMachine, LostWakeUpIsAHangNotAnEndlessTest) {
  Machine machine(world);
  auto waits = [](Loop& loop) -> Task<int> {
    Slot<int> nobody_sets_it(loop);
    co_return co_await nobody_sets_it;
  };
  std::optional<int> result;
  EXPECT_EQ(machine.loop().run(waits(machine.loop()), &result), EndOfRun::kHung);
}

TEST_F(SimMachine, PowerCutLosesOnlyWhatWasNotSynced) {
  int lost = 0;
  int kept = 0;
  int damaged = 0;
  for (uint64_t seed = 0; seed < 200; ++seed) {
    World each(seed);
    {
      Machine machine(each);
      ASSERT_TRUE(machine.host().files.write("/etc/safe", "safe"));
      ASSERT_TRUE(run(machine, machine.host().files.sync()));
      ASSERT_TRUE(machine.host().files.write("/etc/new", "new content"));
      ASSERT_TRUE(machine.host().files.write_durable("/opt/deep/down/durable", "durable"));
    }
    each.power_cut();
    Machine machine(each);
    EXPECT_EQ(*machine.host().files.read("/etc/safe"), "safe");
    EXPECT_EQ(*machine.host().files.read("/opt/deep/down/durable"), "durable");
    const auto survivor = machine.host().files.read("/etc/new");
    ++(!survivor ? lost : *survivor == "new content" ? kept : damaged);
  }
  EXPECT_GT(lost, 0);
  EXPECT_GT(kept, 0);
  EXPECT_GT(damaged, 0);
}

TEST_F(SimMachine, OnAFullDiskThereIsRoomForNothingButWhatIsThere) {
  Machine machine(world);
  host::Files& files = machine.host().files;
  ASSERT_TRUE(files.write("/full/old", "12345"));
  world.faults.full = "/full";
  EXPECT_EQ(files.write("/full/old", "1").error().os_errno, ENOSPC);
  EXPECT_EQ(files.write("/full/new", "1").error().os_errno, ENOSPC);
  EXPECT_EQ(files.append("/full/old", "6").error().os_errno, ENOSPC);
  EXPECT_EQ(files.write_in_place("/full/old", "123456").error().os_errno, ENOSPC);
  EXPECT_TRUE(files.write_in_place("/full/old", "abc"));
  EXPECT_EQ(files.read("/full/old")->substr(0, 5), "abc45");
  EXPECT_TRUE(files.write("/full/empty", ""));
  EXPECT_TRUE(files.write("/fuller", "1"));
  EXPECT_TRUE(files.remove("/full/old"));
}

TEST_F(SimMachine, AFileThatAnotherProgramRemovesBeforeItIsSyncedStaysRemoved) {
  Machine machine(world);
  host::Files& files = machine.host().files;
  uint64_t operation = 0;
  for (uint64_t at = 1; at <= 6; ++at) {
    world.faults.others = {{.at = operation + at, .path = "/etc/edited", .how = host::sim::OtherWriter::How::kRemoves}};
    world.on_operation = [&](host::TimePoint, std::string_view, const std::string&) { ++operation; };
    ASSERT_TRUE(files.write_durable("/etc/edited", "text\n"));
    const auto left = files.read_if_there("/etc/edited");
    ASSERT_TRUE(left);
    if (*left) EXPECT_EQ(**left, "text\n") << at;
  }
}

TEST_F(SimMachine, WhatIsWrittenDuringASyncIsNotCoveredByIt) {
  bool lost = false;
  for (uint64_t seed = 0; seed < 50 && !lost; ++seed) {
    World each(seed);
    {
      Machine machine(each);
      Files& files = static_cast<Files&>(machine.host().files);
      machine.loop().call_at(machine.loop().now() + 1ms, [&] { (void)files.write("/during", "x"); });
      ASSERT_TRUE(run(machine, files.sync()));
    }
    each.power_cut();
    lost = !each.disk.contains("/during");
  }
  EXPECT_TRUE(lost);
}

TEST_F(SimMachine, CrashStopsEverythingAtThatOperation) {
  world.faults.crash_at = 3;
  {
    Machine machine(world);
    auto writes = [](Host& host) -> Task<int> {
      for (int i = 1; i <= 5; ++i) (void)host.files.write("/f" + std::to_string(i), "x");
      co_return 1;
    };
    std::optional<int> result;
    (void)machine.loop().run(writes(machine.host()), &result);
    EXPECT_TRUE(machine.loop().crashed());
  }
  EXPECT_TRUE(world.disk.contains("/f2"));
  EXPECT_FALSE(world.disk.contains("/f3"));
  EXPECT_FALSE(world.disk.contains("/f5"));
}

TEST_F(SimMachine, UnitsTakeTimeFailAndFlap) {
  world.units["a.service"] = Unit{.takes = 50ms, .failures = 1, .makes = {"/run/a.sock"}};
  world.units["flappy.service"] = Unit{.takes = 1ms, .flaps = 1};
  Machine machine(world);
  host::Units& units = machine.host().units;
  EXPECT_THAT(run(machine, units.start("a.service")).error().what, HasSubstr("a.service"));
  EXPECT_FALSE(world.disk.contains("/run/a.sock"));
  EXPECT_TRUE(run(machine, units.start("a.service")));
  EXPECT_TRUE(run(machine, machine.host().watch.socket_accepts("/run/a.sock")));
  EXPECT_EQ(run(machine, units.start("none.service")).error().os_errno, ENOENT);

  EXPECT_TRUE(run(machine, units.start("flappy.service")));
  UnitState active = *run(machine, units.state("flappy.service"));
  EXPECT_TRUE(active.is_active());
  EXPECT_EQ(run(machine, units.next_change("flappy.service", active))->active, "activating");
  EXPECT_TRUE(run(machine, units.becomes_active("flappy.service"))->is_active());
}

TEST_F(SimMachine, SameSeedSameFaults) {
  auto history = [](uint64_t seed) {
    World each(seed);
    each.faults.file_errors = 30;
    std::string seen;
    Machine machine(each);
    for (int i = 0; i < 50; ++i) {
      const auto written = machine.host().files.write("/f", "x");
      seen += written ? "." : std::to_string(written.error().os_errno) + " ";
    }
    return seen;
  };
  EXPECT_EQ(history(3), history(3));
  EXPECT_NE(history(3), history(4));
  EXPECT_THAT(history(3), HasSubstr("28"));  // ENOSPC
}

}  // namespace
}  // namespace sunup::host::sim

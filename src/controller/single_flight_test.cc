// Only one provision runs at a time even if the disk has no room for its record, simulated. Real triggers on a real
// disk are in tests/dropin/single_flight_test.py.
#include "controller/single_flight.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/node_paths.h"
#include "controller/provision.h"
#include "controller/test_machine.h"
#include "host/running.h"

namespace sunup::controller {
namespace {

using namespace std::chrono_literals;
using host::sim::EndOfRun;

ProvisionOptions options() {
  ProvisionOptions options;
  options.config = TestMachine::kConfig;
  return options;
}

host::Task<Result<void>> trigger(Node& node, host::Duration after, std::vector<int>* exit_codes) {
  co_await node.loop.after(after);
  const Outcome outcome = co_await provision(node, options());
  exit_codes->push_back(outcome.exit_code);
  co_return Result<void>();
}

host::Task<Result<void>> two_triggers(Node& node, std::vector<int>* exit_codes) {
  std::vector<host::Task<Result<void>>> triggers;
  triggers.push_back(trigger(node, 0s, exit_codes));
  triggers.push_back(trigger(node, 500ms, exit_codes));
  co_return co_await host::all(node.loop, std::move(triggers));
}

class FullDisk : public testing::Test {
 protected:
  FullDisk() {
    machine.put("/opt/azure/components.json", "{}");
    machine.put(paths::kStartScript, "");
    machine.put_config(SUNUP_SOURCE_DIR "/bench/config.json");
    host::sim::Program& script = machine.world.programs["/bin/bash"];
    script.takes = 1s;
    script.effect = [this](const std::vector<std::string>&, host::Files& files) -> Result<void> {
      ++script_runs;
      if (leaves_success) {
        if (auto done = files.write(paths::kResult, R"({"ExitCode":"0"})"); !done) return done;
        if (auto done = files.write(paths::kComplete, ""); !done) return done;
      }
      return fails ? Result<void>(Error("no")) : Result<void>();
    };
  }

  void disk_fills() { machine.world.faults.full = paths::kContainers; }

  int provision_once() {
    std::optional<Outcome> outcome;
    EXPECT_EQ(machine.run([](Node& node) { return provision(node, options()); }, &outcome), EndOfRun::kDone);
    return outcome ? outcome->exit_code : -1;
  }

  TestMachine machine;
  bool leaves_success = false;
  bool fails = true;
  int script_runs = 0;
};

TEST_F(FullDisk, ASuccessIsNotUndoneByTheRecordOfAnOlderFailure) {
  for (const bool record_has_room : {true, false}) {
    SCOPED_TRACE(record_has_room);
    machine.world.faults.full.clear();
    machine.world.disk.erase(paths::kComplete);
    machine.world.disk.erase(paths::kResult);
    leaves_success = false;
    fails = true;
    script_runs = 0;
    ASSERT_EQ(provision_once(), 1);
    if (!record_has_room) machine.put(paths::kRun, R"({"ended":"1","exit":"9"})");
    disk_fills();
    leaves_success = true;
    fails = false;
    EXPECT_EQ(provision_once(), 0);
    EXPECT_EQ(provision_once(), 0);
    EXPECT_EQ(script_runs, 2) << "a trigger after success returns it";
    EXPECT_EQ(machine.world.disk.contains(paths::kRun), record_has_room);
  }
}

TEST_F(FullDisk, AFailureStaysOneAlthoughItsScriptHasLeftASuccess) {
  ASSERT_EQ(provision_once(), 1);
  disk_fills();
  leaves_success = true;
  EXPECT_EQ(provision_once(), 1);
  EXPECT_EQ(provision_once(), 1);
  EXPECT_EQ(script_runs, 3);
}

TEST_F(FullDisk, WhoWaitedTakesTheResultWithoutARecord) {
  disk_fills();
  for (const int code : {1, 0}) {
    SCOPED_TRACE(code);
    fails = code != 0;
    leaves_success = code == 0;
    script_runs = 0;
    std::vector<int> exit_codes;
    std::optional<Result<void>> done;
    ASSERT_EQ(machine.run([&](Node& node) { return two_triggers(node, &exit_codes); }, &done), EndOfRun::kDone);
    EXPECT_THAT(exit_codes, testing::ElementsAre(code, code));
    EXPECT_EQ(script_runs, 1);
    EXPECT_FALSE(machine.world.disk.contains(paths::kRun));
  }
}

TEST_F(FullDisk, WhoComesAfterAFailureRunsAgain) {
  disk_fills();
  EXPECT_EQ(provision_once(), 1);
  EXPECT_EQ(provision_once(), 1);
  EXPECT_EQ(script_runs, 2);
}

}  // namespace
}  // namespace sunup::controller

#include "controller/node.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "base/node_paths.h"
#include "controller/test_machine.h"

namespace sunup::controller {
namespace {

using testing::HasSubstr;

host::Task<bool> fails(Node& node, std::string error) {
  TaskReport(node, "ProvisionWait").failed(error);
  co_return true;
}

std::vector<std::string> below(const TestMachine& machine, const std::string& directory) {
  std::vector<std::string> paths;
  for (const auto& [path, file] : machine.world.disk)
    if (path.starts_with(directory + "/") && file.kind == host::FileKind::kRegular) paths.push_back(path);
  return paths;
}

TEST(GuestEvents, AreMadeOutsideOfTheDirectoryThatTheAgentEmpties) {
  TestMachine machine;
  std::vector<std::string> put_there;
  machine.world.on_operation = [&](host::TimePoint, std::string_view what, const std::string& on) {
    const bool looks = what == "look at" || what == "make directories";
    if (on.starts_with(std::string(paths::kEvents) + "/") && !looks) put_there.emplace_back(what);
  };
  std::optional<bool> done;
  machine.run([](Node& node) { return fails(node, "no way out"); }, &done);
  EXPECT_THAT(put_there, testing::ElementsAre("rename to", "rename to"));
  EXPECT_EQ(below(machine, paths::kEvents).size(), 2u);
  EXPECT_EQ(below(machine, paths::kExtensionLogs).size(), 2u) << "nothing is left beside them";
}

TEST(GuestEvents, ThatCannotBeMovedIntoPlaceLeaveNothingBehind) {
  TestMachine machine;
  machine.world.on_operation = [&](host::TimePoint, std::string_view what, const std::string&) {
    machine.world.faults.file_errors = what == "rename to" ? 100 : 0;
  };
  std::optional<bool> done;
  machine.run([](Node& node) { return fails(node, "no way out"); }, &done);
  EXPECT_THAT(machine.said, HasSubstr("failed to write event file"));
  EXPECT_THAT(below(machine, paths::kExtensionLogs), testing::IsEmpty());
}

TEST(GuestEvents, OfAFailureKeepTheirTimesHoweverLongItsErrorIs) {
  TestMachine machine;
  std::optional<bool> done;
  machine.run([](Node& node) { return fails(node, "provision failed: " + std::string(4000, 'x')); }, &done);
  const auto events = below(machine, paths::kEvents);
  ASSERT_EQ(events.size(), 2u);
  const auto event = nlohmann::json::parse(machine.world.disk.at(events[1]).content);
  const std::string message = event["Message"];
  EXPECT_LE(message.size(), report::kLongestMessage) << "what the agent keeps";
  EXPECT_THAT(message, testing::StartsWith("aks-node-controller exited with error provision failed: xxx"));
  EXPECT_THAT(message, HasSubstr(" | startTime="));
  EXPECT_THAT(message, HasSubstr(" durationMs="));
}

}  // namespace
}  // namespace sunup::controller

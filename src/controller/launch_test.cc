// launch on the simulated machine, where its waits take no time. tests/dropin runs the program with a real exec.
#include "controller/launch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "base/node_paths.h"
#include "controller/test_machine.h"

namespace sunup::controller {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using namespace std::chrono_literals;

class LaunchTest : public testing::Test, protected TestMachine {
 protected:
  Launch run() {
    std::optional<Launch> launch;
    TestMachine::run([](Node& node) { return prepare_launch(node); }, &launch);
    return launch.value();
  }
};

TEST_F(LaunchTest, HasNothingToDoWithoutAConfig) {
  const Launch launch = run();
  ASSERT_TRUE(launch.ended);
  EXPECT_TRUE(launch.ended->ok());
  EXPECT_FALSE(world.disk.contains(paths::kComplete));
}

TEST_F(LaunchTest, ProvisionsWithWhatIsThere) {
  put(paths::kNodeConfig, "{}");
  EXPECT_EQ(run().options.config, paths::kNodeConfig);
  put(paths::kNbcCommand, "");
  const Launch launch = run();
  EXPECT_FALSE(launch.ended);
  EXPECT_EQ(launch.options.config, paths::kNodeConfig);
  EXPECT_EQ(launch.options.nbc_command, paths::kNbcCommand);
  EXPECT_EQ(launch.hotfix, "");
  EXPECT_THAT(said, Not(HasSubstr("waiting")));
}

TEST_F(LaunchTest, ReportsTheRecordedExitCodeAndStartsNothing) {
  for (const bool marker : {true, false}) {
    SCOPED_TRACE(marker);
    put(paths::kNodeConfig, "{}");
    put(paths::kResult, R"({"ExitCode":"51","Output":"as it was"})");
    world.disk.erase(paths::kComplete);
    if (marker) put(paths::kComplete, "");
    const Launch launch = run();
    ASSERT_TRUE(launch.ended);
    EXPECT_EQ(launch.ended->exit_code, 51);
    EXPECT_EQ(world.disk.at(paths::kResult).content, R"({"ExitCode":"51","Output":"as it was"})");
    EXPECT_TRUE(world.disk.contains(paths::kComplete)) << "for those who look at the marker only";
  }
}

TEST_F(LaunchTest, GoesOnWithWhatASuccessOwes) {
  put(paths::kNodeConfig, "{}");
  put(paths::kResult, R"({"ExitCode":"0"})");
  put(paths::kComplete, "");
  EXPECT_TRUE(run().ended);
  put(paths::kUnfinished, "");
  EXPECT_FALSE(run().ended);
}

TEST_F(LaunchTest, DoesNotTakeATornResultForOne) {
  put(paths::kNodeConfig, "{}");
  put(paths::kResult, R"({"ExitCode":"5)");
  EXPECT_FALSE(run().ended);
}

TEST_F(LaunchTest, ANodeOfAPreparedImageIsProvisioned) {
  for (const bool marker : {true, false}) {
    SCOPED_TRACE(marker);
    put(paths::kNodeConfig, "{}");
    put(paths::kBasePrepComplete, "");
    put(paths::kResult, R"({"ExitCode":"0"})");
    put(paths::kRun, R"({"boot":"another","ended":"1","exit":"0","code":"","error":"","base":"true"})");
    if (marker) put(paths::kComplete, "");
    EXPECT_FALSE(run().ended);
    for (const char* path : {paths::kResult, paths::kComplete, paths::kRun}) EXPECT_FALSE(world.disk.contains(path));
    EXPECT_TRUE(world.disk.contains(paths::kBasePrepComplete));
  }
}

TEST_F(LaunchTest, WaitsForTheFinalHostName) {
  put(paths::kNodeConfig, "{}");
  world.hostname_final_from = world.clock + 7s;
  EXPECT_FALSE(run().ended);
  EXPECT_GE(took, 7s);
  EXPECT_THAT(said, HasSubstr("waiting for the final host name"));
}

TEST_F(LaunchTest, LeavesAResultIfTheHostNameNeverBecomesFinal) {
  put(paths::kNodeConfig, "{}");
  world.hostname_final_from = 24h;
  const Launch launch = run();
  ASSERT_TRUE(launch.ended);
  EXPECT_EQ(launch.ended->exit_code, 1);
  EXPECT_TRUE(world.disk.contains(paths::kComplete));
  EXPECT_THAT(world.disk[paths::kResult].content, HasSubstr("this node has no final host name"));
}

TEST_F(LaunchTest, KeepsTheResultOfAProvisionThatSucceededBefore) {
  put(paths::kNodeConfig, "{}");
  put(paths::kResult, R"({"ExitCode":"0"})");
  put(paths::kComplete, "");
  world.hostname_final_from = 24h;
  EXPECT_TRUE(run().ended);
  EXPECT_EQ(world.disk[paths::kResult].content, R"({"ExitCode":"0"})");
}

TEST_F(LaunchTest, BringsNoHotfixToANodeThatIsProvisioned) {
  put(paths::kNodeConfig, "{}");
  put(paths::kHotfixPointer, R"({"version":"202608.21.3"})");
  EXPECT_FALSE(run().ended);
  EXPECT_THAT(said, HasSubstr("download-hotfix started"));
  said.clear();
  put(paths::kResult, R"({"ExitCode":"0"})");
  put(paths::kComplete, "");
  EXPECT_TRUE(run().ended);
  put(paths::kUnfinished, "");
  EXPECT_FALSE(run().ended) << "there are deferred steps to complete";
  EXPECT_THAT(said, Not(HasSubstr("download-hotfix started")));
}

TEST_F(LaunchTest, LeavesAResultWhenItIsStopped) {
  put(paths::kNodeConfig, "{}");
  world.hostname_final_from = 1h;
  world.faults.terminate_after = 3s;
  const Launch launch = run();
  ASSERT_TRUE(launch.ended);
  EXPECT_NE(launch.ended->signal, 0);
  EXPECT_THAT(world.disk[paths::kResult].content, HasSubstr("stopped before it could provision"));
  EXPECT_TRUE(world.disk.contains(paths::kComplete));
}

TEST_F(LaunchTest, ReadsFeaturesWhenTheyAreWhole) {
  put(paths::kNodeConfig, "{}");
  put(paths::kFeatures, "SUNUP_LAUNCH_TEST=ha");
  world.being_written[paths::kFeatures] = {world.clock + 3s, "SUNUP_LAUNCH_TEST=half no more\n"};
  EXPECT_FALSE(run().ended);
  EXPECT_STREQ(std::getenv("SUNUP_LAUNCH_TEST"), "half no more");
}

TEST_F(LaunchTest, DoesNotWaitForAWriterForEver) {
  put(paths::kNodeConfig, "{}");
  world.being_written[paths::kNodeConfig] = {24h, ""};
  EXPECT_FALSE(run().ended);
  EXPECT_LT(took, 10min);
  EXPECT_THAT(said, HasSubstr("continuing with a file that may be incomplete"));
}

TEST_F(LaunchTest, LeavesTheProvisionToAHotfixThatCanBeStarted) {
  put(paths::kNodeConfig, "{}");
  put(paths::kHotfixBinary, "", 0644);
  EXPECT_EQ(run().hotfix, "");
  put(paths::kHotfixBinary, "", 0755);
  const Launch launch = run();
  EXPECT_EQ(launch.hotfix, paths::kHotfixBinary);
  EXPECT_THAT(hotfix_argv(launch),
              ElementsAre(paths::kHotfixBinary, "provision", std::string("--provision-config=") + paths::kNodeConfig));
}

TEST_F(LaunchTest, AsksForAHotfixOnlyIfTheFeatureIsOn) {
  put(paths::kNodeConfig, R"({"hotfixes":{"202608.21":"202608.21.3"}})");
  put(paths::kFeatures, "ENABLE_PROVISIONING_HOTFIX=false");
  EXPECT_FALSE(run().ended);
  EXPECT_FALSE(world.disk.contains(paths::kHotfixPointer));
  put(paths::kFeatures, "ENABLE_PROVISIONING_HOTFIX=true");
  EXPECT_FALSE(run().ended);
  EXPECT_TRUE(world.disk.contains(paths::kHotfixPointer));
  EXPECT_THAT(said, HasSubstr("continuing without the hotfix")) << "no package manager here, and the node goes on";
  ::unsetenv("ENABLE_PROVISIONING_HOTFIX");
}

}  // namespace
}  // namespace sunup::controller

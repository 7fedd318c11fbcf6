// launch on the simulated machine: its waits cost no time there. The program with a real exec: tests/dropin.
#include "controller/launch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "controller/paths.h"
#include "host/sim/machine.h"

namespace sunup::controller {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using namespace std::chrono_literals;

class LaunchTest : public testing::Test {
 protected:
  void put(const std::string& path, std::string content, mode_t mode = 0644) {
    for (size_t slash = path.find('/', 1); slash != std::string::npos; slash = path.find('/', slash + 1))
      world_.disk[path.substr(0, slash)] = {host::FileKind::kDirectory, 0755, ""};
    world_.disk[path] = {host::FileKind::kRegular, mode, std::move(content)};
  }

  Launch run() {
    host::sim::Machine machine(world_);
    host::Host& host = machine.host();
    report::Log log([&] { return host.loop.wall().time_since_epoch().count(); },
                    [this](std::string_view line) { said_ += line; });
    report::Redactor redactor;
    Node node{.loop = host.loop,
              .files = host.files,
              .callers_files = host.files,
              .processes = host.processes,
              .watch = host.watch,
              .host = host,
              .log = log,
              .redactor = redactor,
              .root = "",
              .version = "202608.21.2"};
    const auto before = machine.loop().now();
    std::optional<Launch> launch;
    machine.loop().run(prepare_launch(node), &launch);
    took_ = machine.loop().now() - before;
    return launch.value();
  }

  host::sim::World world_{1};
  host::Duration took_{};
  std::string said_;
};

TEST_F(LaunchTest, HasNothingToDoWithoutAConfig) {
  const Launch launch = run();
  ASSERT_TRUE(launch.ended);
  EXPECT_TRUE(launch.ended->ok());
  EXPECT_FALSE(world_.disk.contains(paths::kComplete));
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
}

TEST_F(LaunchTest, WaitsForTheFinalHostName) {
  put(paths::kNodeConfig, "{}");
  world_.hostname_final_from = world_.clock + 7s;
  EXPECT_FALSE(run().ended);
  EXPECT_GE(took_, 7s);
}

TEST_F(LaunchTest, LeavesAResultIfTheHostNameNeverBecomesFinal) {
  put(paths::kNodeConfig, "{}");
  world_.hostname_final_from = 24h;
  const Launch launch = run();
  ASSERT_TRUE(launch.ended);
  EXPECT_EQ(launch.ended->exit_code, 1);
  EXPECT_TRUE(world_.disk.contains(paths::kComplete));
  EXPECT_THAT(world_.disk[paths::kResult].content, HasSubstr("this node has no final host name"));
}

TEST_F(LaunchTest, KeepsTheResultOfAProvisionThatSucceededBefore) {
  put(paths::kNodeConfig, "{}");
  put(paths::kResult, R"({"ExitCode":"0"})");
  put(paths::kComplete, "");
  world_.hostname_final_from = 24h;
  EXPECT_TRUE(run().ended);
  EXPECT_EQ(world_.disk[paths::kResult].content, R"({"ExitCode":"0"})");
}

TEST_F(LaunchTest, BringsNoHotfixToANodeThatIsProvisioned) {
  put(paths::kNodeConfig, "{}");
  put(paths::kHotfixPointer, R"({"version":"202608.21.3"})");
  EXPECT_FALSE(run().ended);
  EXPECT_THAT(said_, HasSubstr("download-hotfix started"));
  said_.clear();
  put(paths::kResult, R"({"ExitCode":"0"})");
  put(paths::kComplete, "");
  EXPECT_FALSE(run().ended);
  EXPECT_THAT(said_, Not(HasSubstr("download-hotfix started")));
}

TEST_F(LaunchTest, LeavesAResultWhenItIsStopped) {
  put(paths::kNodeConfig, "{}");
  world_.hostname_final_from = 1h;
  world_.faults.terminate_after = 3s;
  const Launch launch = run();
  ASSERT_TRUE(launch.ended);
  EXPECT_NE(launch.ended->signal, 0);
  EXPECT_THAT(world_.disk[paths::kResult].content, HasSubstr("stopped before it could provision"));
  EXPECT_TRUE(world_.disk.contains(paths::kComplete));
}

TEST_F(LaunchTest, ReadsFeaturesWhenTheyAreWhole) {
  put(paths::kNodeConfig, "{}");
  put(paths::kFeatures, "SUNUP_LAUNCH_TEST=ha");
  world_.being_written[paths::kFeatures] = {world_.clock + 3s, "SUNUP_LAUNCH_TEST=half no more\n"};
  EXPECT_FALSE(run().ended);
  EXPECT_STREQ(std::getenv("SUNUP_LAUNCH_TEST"), "half no more");
}

TEST_F(LaunchTest, DoesNotWaitForAWriterForEver) {
  put(paths::kNodeConfig, "{}");
  world_.being_written[paths::kNodeConfig] = {24h, ""};
  EXPECT_FALSE(run().ended);
  EXPECT_LT(took_, 10min);
  EXPECT_THAT(said_, HasSubstr("going on with a file that may not be whole"));
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
  EXPECT_FALSE(world_.disk.contains(paths::kHotfixPointer));
  put(paths::kFeatures, "ENABLE_PROVISIONING_HOTFIX=true");
  EXPECT_FALSE(run().ended);
  EXPECT_TRUE(world_.disk.contains(paths::kHotfixPointer));
  EXPECT_THAT(said_, HasSubstr("going on without the hotfix")) << "no package manager here, and the node goes on";
  ::unsetenv("ENABLE_PROVISIONING_HOTFIX");
}

}  // namespace
}  // namespace sunup::controller

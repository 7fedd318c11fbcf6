// provision on the simulated machine: killed, or with a power cut or a disk error, at every single operation.
// tests/dropin runs it with a real script on a real disk.
#include "controller/provision.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <cstdlib>
#include <set>

#include "base/node_paths.h"
#include "contract/load.h"
#include "controller/native_report.h"
#include "controller/test_machine.h"
#include "report/provision_result.h"

namespace sunup::controller {
namespace {

using host::sim::EndOfRun;
using testing::HasSubstr;

class SimulatedNode : public TestMachine {
 public:
  explicit SimulatedNode(uint64_t seed, bool script_succeeds) : TestMachine(seed) {
    put("/opt/azure/components.json", "{}");
    put("/opt/azure/vhd-install.complete", "");
    put_config(SUNUP_SOURCE_DIR "/bench/config.json");
    put(paths::kStartScript, "");
    // The image's script leaves its own result if it succeeds, and none if it fails.
    world.programs["/bin/bash"].effect = [this, script_succeeds](const std::vector<std::string>&,
                                                                 host::Files& files) -> Result<void> {
      ++script_runs;
      stale |= world.disk.contains(paths::kComplete) || world.disk.contains(paths::kResult);
      if (!script_succeeds) return Error("no");
      if (auto done = files.write(paths::kResult, R"({"ExitCode":"0"})"); !done) return done;
      return files.write(paths::kComplete, "");
    };
  }

  EndOfRun provision(Mode mode = Mode::kAuto) {
    ProvisionOptions options;
    options.mode = mode;
    options.config = kConfig;
    return run([&](Node& node) { return controller::provision(node, options); }, &outcome);
  }

  // The recorded result: empty, or the exit code; -1 for a marker without a result that can be read.
  std::optional<int64_t> result() const {
    if (!world.disk.contains(paths::kComplete)) return std::nullopt;
    const auto found = world.disk.find(paths::kResult);
    if (found == world.disk.end()) return -1;
    const auto parsed = report::parse_result(found->second.content);
    if (!parsed) return -1;
    const auto code = report::exit_code_of(*parsed);
    return code ? *code : -1;
  }

  int script_runs = 0;
  bool stale = false;  // the script found a result of an earlier run
  std::optional<Outcome> outcome;
};

void expect_convergence(bool script_succeeds, bool cut_power, const char* full_disk = "") {
  const int64_t wanted = script_succeeds ? 0 : 1;
  for (uint64_t crash_at = 1;; ++crash_at) {
    SCOPED_TRACE(crash_at);
    SimulatedNode node(crash_at, script_succeeds);
    node.world.faults.crash_at = crash_at;
    node.world.faults.full = full_disk;
    const EndOfRun first = node.provision();
    if (cut_power) node.world.power_cut();
    EXPECT_EQ(node.result().value_or(wanted), wanted) << "a marker promises a result that can be read";
    if (first == EndOfRun::kDone) break;

    node.world.faults.crash_at = 0;
    ASSERT_EQ(node.provision(), EndOfRun::kDone);
    EXPECT_EQ(node.outcome->exit_code, wanted) << node.said;
    EXPECT_EQ(node.result(), wanted);
    EXPECT_LE(node.script_runs, 2);
    EXPECT_FALSE(node.stale);
  }
}

TEST(ProvisionUnderFaults, ConvergesAfterBeingKilledAnywhere) {
  expect_convergence(true, false);
  expect_convergence(false, false);
}

TEST(ProvisionUnderFaults, ConvergesAfterBeingKilledAnywhereOnAFullDisk) {
  expect_convergence(true, false, paths::kContainers);
  expect_convergence(false, false, paths::kContainers);
}

TEST(ProvisionUnderFaults, ConvergesAfterAPowerCutAnywhere) {
  expect_convergence(false, true);
}

// On a provisioned node, and on one that is not provisioned.
TEST(ProvisionUnderFaults, TakesNothingThatItCannotReadForAbsent) {
  for (const bool provisioned : {true, false}) {
    SimulatedNode calm(1, true);
    if (provisioned) calm.provision();
    std::set<std::string> read;
    calm.world.on_operation = [&read](host::TimePoint, std::string_view what, const std::string& on) {
      if (what == "read" || what == "look at" || what == "list") read.insert(on);
    };
    calm.provision();
    EXPECT_TRUE(read.contains(paths::kComplete));
    for (const std::string& path : read)
      for (const int error : {EIO, EMFILE, EACCES}) {
        SCOPED_TRACE(path);
        SimulatedNode node(1, true);
        if (provisioned) node.provision();
        const int before = node.script_runs;
        node.world.faults.unreadable[path] = error;
        ASSERT_EQ(node.provision(), EndOfRun::kDone);
        if (provisioned) {
          EXPECT_EQ(node.script_runs, before) << "it was provisioned again";
          EXPECT_EQ(node.result(), 0) << "its success is gone";
        } else if (node.outcome->ok()) {
          EXPECT_EQ(node.result(), 0);
        } else {
          EXPECT_THAT(node.outcome->result.error + node.said, HasSubstr(path));
        }
      }
  }
}

// The features file requests native provisioning: without it the scripts would run.
TEST(ProvisionByScripts, SaysThatHooksDoNotRun) {
  SimulatedNode node(1, true);
  ASSERT_EQ(node.provision(), EndOfRun::kDone);
  EXPECT_THAT(node.said, testing::Not(HasSubstr("hooks do not run")));
  SimulatedNode other(1, true);
  other.put(std::string(paths::kHooks) + "/site.joined.json", "{}");
  ASSERT_EQ(other.provision(), EndOfRun::kDone);
  EXPECT_EQ(other.outcome->exit_code, 0);
  EXPECT_THAT(other.said, HasSubstr("hooks do not run"));
}

TEST(ProvisionUnderFaults, DoesNotChooseAnotherModeByAReadError) {
  SimulatedNode node(1, true);
  node.put(paths::kFeatures, "NATIVE_PROVISIONING=true\n");
  node.world.faults.unreadable[paths::kFeatures] = EIO;
  ASSERT_EQ(node.provision(), EndOfRun::kDone);
  EXPECT_EQ(node.script_runs, 0);
  EXPECT_THAT(node.outcome->result.error, HasSubstr(paths::kFeatures));
  EXPECT_NE(node.result().value_or(0), 0) << "a failure leaves a result";
}

TEST(ProvisionUnderFaults, AnOldResultDoesNotComeBackOnceANewRunHasBegun) {
  for (uint64_t crash_at = 1;; ++crash_at) {
    for (uint64_t seed = 1; seed <= 20; ++seed) {
      SCOPED_TRACE(crash_at * 1000 + seed);
      SimulatedNode node(seed, true);
      node.put(paths::kResult, R"({"ExitCode":"99"})");
      node.put(paths::kComplete, "");
      node.world.faults.crash_at = crash_at;
      const EndOfRun end = node.provision();
      node.world.power_cut();
      if (node.script_runs > 0) {
        EXPECT_NE(node.result(), 99);
      }
      if (end == EndOfRun::kDone) return;
    }
  }
}

TEST(ProvisionUnderFaults, ReportsTheScriptsOutcomeWhateverTheDiskDoes) {
  for (uint64_t seed = 1; seed <= 300; ++seed) {
    SCOPED_TRACE(seed);
    SimulatedNode node(seed, false);
    node.world.faults.file_errors = 30;
    node.world.faults.errors = {ENOSPC, EIO, EROFS};
    ASSERT_EQ(node.provision(), EndOfRun::kDone);
    EXPECT_NE(node.outcome->exit_code, 0);
    const bool written = node.world.disk.contains(paths::kResult);
    EXPECT_TRUE(!written || node.result().value_or(1) != -1) << node.said;
  }
}

TEST(ProvisionUnderFaults, AFaultThatPassesDoesNotLoseTheVerdict) {
  SimulatedNode node(1, false);
  int attempts = 0;
  node.world.on_operation = [&](host::TimePoint, std::string_view what, const std::string& on) {
    if (on != paths::kResult || !what.starts_with("write")) return;
    node.world.faults.unwritable = {};
    if (++attempts == 1) node.world.faults.unwritable[paths::kResult] = ENOMEM;
  };
  ASSERT_EQ(node.provision(), EndOfRun::kDone);
  EXPECT_EQ(attempts, 2);
  EXPECT_EQ(node.result(), 1);
}

// It cannot be determined whether the script has left a result, but there is none.
TEST(ProvisionUnderFaults, AReadErrorDoesNotLoseTheVerdict) {
  SimulatedNode node(1, false);
  node.world.on_operation = [&](host::TimePoint, std::string_view what, const std::string& on) {
    if (on != paths::kResult || node.script_runs == 0) return;
    node.world.faults.unreadable = {};
    if (what == "read") node.world.faults.unreadable[paths::kResult] = EIO;
  };
  ASSERT_EQ(node.provision(), EndOfRun::kDone);
  EXPECT_EQ(node.result(), 1);
}

TEST(ProvisionUnderFaults, AMarkerThatCannotBeRemovedKeepsNoOldResult) {
  SimulatedNode node(1, false);
  node.put(std::string(paths::kComplete) + "/in the way", "");
  node.put(paths::kResult, R"({"ExitCode":"99"})");
  ASSERT_EQ(node.provision(), EndOfRun::kDone);
  EXPECT_THAT(node.said, HasSubstr("failed to remove the result of an earlier attempt"));
  EXPECT_EQ(node.result(), 1);
}

TEST(ProvisionUnderFaults, LeavesAResultWhenItIsStopped) {
  for (int milliseconds = 1; milliseconds < 40; ++milliseconds) {
    SCOPED_TRACE(milliseconds);
    SimulatedNode node(1, false);
    node.world.programs["/bin/bash"].takes = std::chrono::hours(1);
    node.world.faults.terminate_after = std::chrono::milliseconds(milliseconds);
    ASSERT_EQ(node.provision(), EndOfRun::kDone);
    EXPECT_NE(node.outcome->signal, 0);
    EXPECT_EQ(node.result(), 240);
  }
}

TEST(ProvisionUnderFaults, KeepsWhatTheScriptSaysWhileItIsEnded) {
  SimulatedNode node(1, false);
  node.world.programs["/bin/bash"].takes = std::chrono::hours(1);
  node.world.programs["/bin/bash"].last_words = "cleaning up\n";
  node.world.faults.terminate_after = std::chrono::milliseconds(30);
  ASSERT_EQ(node.provision(), EndOfRun::kDone);
  EXPECT_EQ(node.outcome->signal, SIGTERM);
  EXPECT_EQ(node.result(), 240);
  EXPECT_THAT(node.world.disk.at(paths::kResult).content, HasSubstr(R"("Output":"cleaning up\n\n")"));
  EXPECT_THAT(node.said, HasSubstr(R"("stdout":"cleaning up\n")"));
}

TEST(ProvisionUnderFaults, LeavesNoResultWhenTheWholeMachineIsStoppedSoTheNextBootGoesOn) {
  SimulatedNode node(1, true);
  node.world.programs["/bin/bash"].takes = std::chrono::hours(1);
  node.world.faults.terminate_after = std::chrono::milliseconds(30);
  node.world.stops = true;
  ASSERT_EQ(node.provision(), EndOfRun::kDone);
  EXPECT_NE(node.outcome->signal, 0);
  EXPECT_EQ(node.result(), std::nullopt);

  node.world.programs["/bin/bash"].takes = std::chrono::seconds(1);
  node.world.faults.terminate_after = host::Duration::zero();
  node.world.stops = false;
  ASSERT_EQ(node.provision(), EndOfRun::kDone);
  EXPECT_EQ(node.result(), 0);
}

// The metadata service of this machine never answers, so an operation is always pending.
TEST(NativeProvision, StillReportsHowFarItCameWhenItIsStopped) {
  SimulatedNode node(1, false);
  node.world.faults.terminate_after = std::chrono::milliseconds(40);
  ASSERT_EQ(node.provision(Mode::kNative), EndOfRun::kDone);
  EXPECT_EQ(node.outcome->signal, SIGTERM);
  EXPECT_EQ(node.result(), 240);
  const std::string& result = node.world.disk.at(paths::kResult).content;
  EXPECT_THAT(result, HasSubstr("aks-node-controller was stopped while provisioning (signal: terminated)"));
  EXPECT_THAT(result, HasSubstr(R"("FailedStep":"signal")"));
  EXPECT_THAT(node.world.disk.at(paths::kScriptLog).content, HasSubstr(" done ("));
}

TEST(NativeProvision, AFailedPreparationIsNoBasisForTheNextStage) {
  SimulatedNode node(1, false);
  node.put(node.kConfig, R"({"version": "v1", "pre_provision_only": true,
                             "custom_linux_os_config": {"transparent_hugepage_support": "bogus"}})");
  ASSERT_EQ(node.provision(Mode::kNative), EndOfRun::kDone);
  EXPECT_EQ(node.outcome->exit_code, 103);
  EXPECT_EQ(node.outcome->result.failed_step, "kernel.huge_pages");
  EXPECT_EQ(node.result(), 103);
  EXPECT_FALSE(node.world.disk.contains(paths::kBasePrepComplete));
}

TEST(NativeProvision, GoesOnWhereAnEarlierRunWasStopped) {
  for (uint64_t seed = 1; seed <= 8; ++seed) {
    SimulatedNode node(seed, false);
    node.world.faults.terminate_after = std::chrono::milliseconds(40);
    ASSERT_EQ(node.provision(Mode::kNative), EndOfRun::kDone);
    node.said.clear();
    ASSERT_EQ(node.provision(Mode::kNative), EndOfRun::kDone);
    EXPECT_THAT(node.said, HasSubstr(R"("why":"done earlier in this boot")"));
    std::string events;
    for (const auto& [path, file] : node.world.disk)
      if (path.starts_with(paths::kEvents)) events += file.content;
    EXPECT_THAT(events, HasSubstr("(done earlier in this boot)")) << "the first run may not have come to tell of it";
  }
}

TEST(NativeProvision, TriesTheMarkerAlthoughTheResultCannotBeWritten) {
  SimulatedNode node(1, false);
  node.put("/var/log/azure/aks", "in the way");
  ASSERT_EQ(node.provision(Mode::kNative), EndOfRun::kDone);
  EXPECT_FALSE(node.outcome->ok());
  EXPECT_TRUE(node.world.disk.contains(paths::kComplete));
  EXPECT_THAT(node.said, HasSubstr("failed to write provision.json file"));
}

// A success whose deferred steps were interrupted by a kill: the next trigger runs them, and the result does not
// change.
class Unfinished : public testing::Test {
 protected:
  Unfinished() : node(1, false) {
    node.put(paths::kResult, kResult);
    node.put(paths::kComplete, "");
    const auto config = contract::load_file(SUNUP_SOURCE_DIR "/bench/config.json");
    mark = unfinished_mark(config->config);
    node.put(paths::kUnfinished, mark);
    node.put("/var/lib/kubelet/kubeconfig", "kubelet has it");
    node.world.programs["chage"].effect = [this](const std::vector<std::string>&, host::Files&) -> Result<void> {
      ++ages;
      return {};
    };
  }

  static constexpr char kResult[] = R"({"ExitCode":"0","Output":"as it was"})";
  SimulatedNode node;
  std::string mark;
  int ages = 0;  // runs of chage
};

TEST_F(Unfinished, IsFinishedByTheNextTriggerAndTheResultStays) {
  ASSERT_EQ(node.provision(Mode::kNative), EndOfRun::kDone);
  EXPECT_TRUE(node.outcome->ok());
  EXPECT_GT(ages, 0);
  EXPECT_EQ(node.world.disk.at(paths::kResult).content, kResult);
  EXPECT_TRUE(node.world.disk.contains(paths::kComplete));
  EXPECT_FALSE(node.world.disk.contains(paths::kUnfinished));
  EXPECT_FALSE(node.world.disk.contains("/etc/containerd/config.toml")) << "what was done is not done again";
  EXPECT_FALSE(node.world.disk.contains(engine::Options().journal)) << "who provisions once more wants all of it done";

  ages = 0;
  ASSERT_EQ(node.provision(Mode::kNative), EndOfRun::kDone);
  EXPECT_EQ(ages, 0);
}

TEST_F(Unfinished, StaysSoWhenItIsStoppedAgain) {
  node.world.disk.erase("/var/lib/kubelet/kubeconfig");  // so that there is something to wait for
  node.world.faults.terminate_after = std::chrono::seconds(30);
  ASSERT_EQ(node.provision(Mode::kNative), EndOfRun::kDone);
  EXPECT_EQ(node.world.disk.at(paths::kResult).content, kResult);
  EXPECT_TRUE(node.world.disk.contains(paths::kUnfinished));
}

TEST_F(Unfinished, IsFinishedHoweverOftenItIsKilled) {
  for (uint64_t crash_at = 1;; ++crash_at) {
    SCOPED_TRACE(crash_at);
    node.world.faults.crash_at = crash_at;
    const EndOfRun end = node.provision(Mode::kNative);
    EXPECT_EQ(node.world.disk.at(paths::kResult).content, kResult);
    if (end == EndOfRun::kDone) break;
    ASSERT_LT(crash_at, 1000u);
  }
  EXPECT_GT(ages, 0);
  EXPECT_FALSE(node.world.disk.contains(paths::kUnfinished));
}

TEST_F(Unfinished, IsNotFinishedWithAnotherConfig) {
  node.put(paths::kUnfinished, "0123456789abcdef\n");
  ASSERT_EQ(node.provision(Mode::kNative), EndOfRun::kDone);
  EXPECT_TRUE(node.outcome->ok());
  EXPECT_EQ(ages, 0);
  EXPECT_TRUE(node.world.disk.contains(paths::kUnfinished));
  EXPECT_THAT(node.said, HasSubstr("with another config"));
}

TEST_F(Unfinished, StaysSoAndIsNamedWhileAStepFailsByWhatMayPass) {
  node.world.disk.erase("/var/lib/kubelet/kubeconfig");  // a step waits for it, with a limit
  ASSERT_EQ(node.provision(Mode::kNative), EndOfRun::kDone);
  EXPECT_TRUE(node.outcome->ok());
  EXPECT_THAT(node.said, HasSubstr("it is tried again at the next boot"));
  EXPECT_TRUE(node.world.disk.contains(paths::kUnfinished));
  EXPECT_EQ(node.world.disk.at(paths::kResult).content,
            R"({"ExitCode":"0","Output":"as it was","UnfinishedSteps":["bootstrap.latency"]})");

  node.world.power_cut();
  node.put("/var/lib/kubelet/kubeconfig", "kubelet has it");
  ASSERT_EQ(node.provision(Mode::kNative), EndOfRun::kDone);
  EXPECT_FALSE(node.world.disk.contains(paths::kUnfinished));
  EXPECT_EQ(node.world.disk.at(paths::kResult).content, kResult);
}

TEST_F(Unfinished, IsLookedAtAgainIfTheMachineGoesDown) {
  node.world.stops = true;
  ASSERT_EQ(node.provision(Mode::kNative), EndOfRun::kDone);
  EXPECT_TRUE(node.world.disk.contains(paths::kUnfinished));
}

}  // namespace
}  // namespace sunup::controller

// Compares the declarations of a plan with what its run does on the simulated machine.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "native.h"
#include "plan/metadata.h"

namespace sunup::simulation {
namespace {

using host::sim::World;
using testing::Each;
using testing::IsEmpty;
using testing::IsSubsetOf;
using testing::Le;

struct Touched {
  std::set<std::string> image;  // the paths that existed before
  std::set<std::string> files;
  std::set<std::string> units;
  host::sim::Tree left;                     // the disk afterwards
  std::vector<std::string> before_kubelet;  // programs
  int reloads = 0;
  int metadata_requests = 0;
  bool kubelet_started = false;
};

Touched touch(const NativeCase& which, NativeLife* life) {
  World world(1);
  furnish(world, which);
  Touched touched;
  for (const auto& [path, node] : world.disk) touched.image.insert(path);
  bool modules = false;
  world.on_operation = [&](host::TimePoint, std::string_view what, const std::string& on) {
    if (writes(what) && !on.starts_with("/var/lib/sunup")) touched.files.insert(on);
    for (const std::string_view one : {"start unit", "stop unit", "enable", "disable", "mask", "unmask"})
      if (what == one) touched.units.insert(on);
    if (what == "start unit" && on == "kubelet.service") touched.kubelet_started = true;
    if (what == "spawn" && !touched.kubelet_started) touched.before_kubelet.push_back(on);
    if (what == "load module" && !touched.kubelet_started && !std::exchange(modules, true))
      touched.before_kubelet.emplace_back("modprobe");  // one for all of them
    if (what == "reload units") ++touched.reloads;
    if (what == "GET" && on == plan::kMetadataUrl) ++touched.metadata_requests;
  };
  *life = live(world, which);
  world.on_operation = nullptr;
  touched.left = world.disk;
  return touched;
}

class Native : public testing::TestWithParam<NativeCase> {};

TEST_P(Native, RunTouchesWhatThePlanAnnounces) {
  NativeLife life;
  const Touched touched = touch(GetParam(), &life);
  ASSERT_TRUE(life.all_done) << life.report->failed_step << ": " << life.report->error.what;
  std::set<std::string> files;
  std::set<std::string> units;
  World world(1);
  furnish(world, GetParam());
  const auto plan = announced(world, GetParam());
  ASSERT_TRUE(plan) << plan.error().what;
  for (const engine::Step& step : plan->steps()) {
    for (const engine::FileEffect& file : step.files) files.insert(file.path);
    units.insert(step.units.begin(), step.units.end());
  }
  files.insert("/opt/azure/containers/provision.complete");
  for (const std::string& file : touched.files) EXPECT_TRUE(files.contains(file)) << "not announced: " << file;
  EXPECT_EQ(touched.units, units);
}

// The reverse: announced files exist afterwards with their mode, and files to be removed do not exist.
TEST_P(Native, PlanIsTrueAfterTheRun) {
  NativeLife life;
  const Touched touched = touch(GetParam(), &life);
  ASSERT_TRUE(life.all_done) << life.report->failed_step << ": " << life.report->error.what;
  World world(1);
  furnish(world, GetParam());
  const auto plan = announced(world, GetParam());
  ASSERT_TRUE(plan) << plan.error().what;
  std::map<std::string, mode_t> announced_modes;
  for (const engine::Step& step : plan->steps())
    for (const engine::FileEffect& file : step.files) {
      const auto [known, first] = announced_modes.try_emplace(file.path, file.mode);
      if (!first && file.mode == 0) known->second = 0;  // one step writes it, a later one consumes it
    }
  for (const auto& [path, mode] : announced_modes) {
    const auto found = touched.left.find(path);
    EXPECT_EQ(found != touched.left.end(), mode != 0) << path;
    if (found == touched.left.end() || mode == 0 || found->second.kind == host::FileKind::kSymlink) continue;
    EXPECT_EQ(found->second.mode, mode) << path;
    EXPECT_TRUE(touched.files.contains(path) || touched.image.contains(path)) << path << " came from nowhere";
  }
}

// The GPU driver and the swap file are created by programs. Only nodes that have them may start these programs.
TEST_P(Native, StartsAtMostFiveProgramsBeforeKubelet) {
  const std::set<std::string> driver = {"ctr", "nvidia-modprobe", "nvidia-smi", "ldconfig"};
  const std::set<std::string> swap = {"fallocate", "mkswap", "swapon"};
  const bool has_driver = GetParam().config.gpu_config().enable_nvidia();
  const bool has_swap = GetParam().config.custom_linux_os_config().swap_file_size() > 0;
  NativeLife life;
  const Touched touched = touch(GetParam(), &life);
  size_t others = 0;
  for (const std::string& program : touched.before_kubelet)
    others += !(has_driver && driver.contains(program)) && !(has_swap && swap.contains(program));
  EXPECT_LE(others, 5U) << testing::PrintToString(touched.before_kubelet);
  EXPECT_LE(touched.before_kubelet.size(), others + (has_driver ? 7 : 0) + (has_swap ? 3 : 0));
}

TEST_P(Native, ReloadsSystemdAtMostTwiceAndAsksTheMetadataServiceOnce) {
  NativeLife life;
  const Touched touched = touch(GetParam(), &life);
  EXPECT_LE(touched.reloads, 2);
  EXPECT_EQ(touched.metadata_requests, 1);
}

// Work that a run has done before it failed is not repeated: that would take time and restart working services.
TEST_P(Native, RetrySkipsWhatIsDone) {
  World world(1);
  furnish(world, GetParam());
  const std::string last = GetParam().config.pre_provision_only() ? "containerd.service" : "kubelet.service";
  world.units[last].failures = 1000;
  const NativeLife first = live(world, GetParam());
  ASSERT_FALSE(first.report->ok);
  const NativeLife second = live(world, GetParam());
  ASSERT_EQ(second.steps.size(), first.steps.size());
  size_t skipped = 0;
  for (size_t i = 0; i < first.steps.size(); ++i) {
    if (first.report->steps[i].outcome != engine::StepOutcome::kDone) continue;
    EXPECT_EQ(second.report->steps[i].outcome, engine::StepOutcome::kSkipped)
        << first.steps[i].name << ": " << second.report->steps[i].why;
    ++skipped;
  }
  EXPECT_GT(skipped, 5U);
}

INSTANTIATE_TEST_SUITE_P(Cases, Native, testing::ValuesIn(native_cases()), [](const auto& param) {
  std::string name = param.param.name;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

class OneNode : public testing::Test {
 protected:
  OneNode()
      : world(1), which(*std::find_if(native_cases().begin(), native_cases().end(), [](const NativeCase& one) {
          return one.name == "azure";
        })) {
    furnish(world, which);
    world.on_operation = [this](host::TimePoint at, std::string_view what, const std::string& on) {
      if (what == "start unit" && on == "kubelet.service") ++kubelet_starts;
      if (at.time_since_epoch() > server_from) world.names[server()] = {"10.0.0.1"};
    };
  }
  std::string server() const { return which.config.api_server_config().api_server_name(); }

  World world;
  const NativeCase& which;
  host::Duration server_from = {};
  int kubelet_starts = 0;
};

TEST_F(OneNode, HasNoKubeletThatItsFailureDoesNotKnowOf) {
  world.units["containerd.service"].failures = 1000;
  world.units["kubelet.service"].takes = std::chrono::seconds(30);  // it waits for containerd's socket
  const NativeLife life = live(world, which);
  ASSERT_FALSE(life.report->ok);
  EXPECT_EQ(life.report->failed_step, "containerd.ready");
  EXPECT_EQ(kubelet_starts, 1);
  EXPECT_EQ(world.units["kubelet.service"].active, "inactive");
  EXPECT_FALSE(world.disk.contains("/run/aks-node-controller/kubelet-prestart.done"));
}

TEST_F(OneNode, StartsKubeletOnceIfTheApiServerIsThere) {
  const NativeLife life = live(world, which);
  EXPECT_TRUE(life.all_done);
  EXPECT_EQ(kubelet_starts, 1);
}

TEST_F(OneNode, StartsKubeletAgainWhenALateApiServerAppears) {
  world.names.erase(server());
  server_from = std::chrono::seconds(40);
  const NativeLife life = live(world, which);
  EXPECT_TRUE(life.all_done) << life.report->failed_step << ": " << life.report->error.what;
  EXPECT_EQ(kubelet_starts, 2);
}

TEST_F(OneNode, RetryMakesWhatSomebodyRemovedAndStartsContainerdWithItAgain) {
  world.units["kubelet.service"].failures = 1000;
  ASSERT_FALSE(live(world, which).report->ok);
  const std::string config = world.disk.at("/etc/containerd/config.toml").content;
  world.disk.erase("/etc/containerd/config.toml");
  world.disk.erase("/etc/kubernetes/azure.json");
  world.units["kubelet.service"].failures = 0;
  int containerd_starts = 0;
  world.on_operation = [&](host::TimePoint, std::string_view what, const std::string& on) {
    containerd_starts += what == "start unit" && on == "containerd.service";
  };
  const NativeLife life = live(world, which);
  ASSERT_TRUE(life.all_done) << life.report->failed_step << ": " << life.report->error.what;
  EXPECT_EQ(world.disk.at("/etc/containerd/config.toml").content, config);
  EXPECT_TRUE(world.disk.contains("/etc/kubernetes/azure.json"));
  EXPECT_EQ(containerd_starts, 1);
  EXPECT_EQ(world.units["containerd.service"].runs_from.at("/etc/containerd/config.toml"), config);
}

TEST_F(OneNode, RetryConfiguresTheContainerdThatIsThereNow) {
  world.units["kubelet.service"].failures = 1000;
  ASSERT_FALSE(live(world, which).report->ok);
  const std::string config = world.disk.at("/etc/containerd/config.toml").content;
  const bool first = which.facts.containerd_version.starts_with("1.");
  world.disk.at("/var/lib/dpkg/status").content =
      std::string("\nPackage: containerd\nVersion: ") + (first ? "2.0.6" : "1.7.27") + "\n\n";
  world.units["kubelet.service"].failures = 0;
  const NativeLife life = live(world, which);
  ASSERT_TRUE(life.all_done) << life.report->failed_step << ": " << life.report->error.what;
  EXPECT_NE(world.disk.at("/etc/containerd/config.toml").content, config);
  EXPECT_EQ(world.units["containerd.service"].runs_from.at("/etc/containerd/config.toml"),
            world.disk.at("/etc/containerd/config.toml").content);
}

TEST(NativeCases, CoverTheFeaturesThatChangeThePlan) {
  EXPECT_GE(native_cases().size(), 12U);
}

}  // namespace
}  // namespace sunup::simulation

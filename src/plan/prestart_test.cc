// kubelet-prestart: what it does at the first start, and what it waits for at every start.
#include "plan/prestart.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "host/sim/machine.h"
#include "render/node/kubelet_unit.h"

namespace sunup::plan {
namespace {

using namespace std::chrono_literals;
using host::FileKind;
using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;

class Prestart : public testing::Test {
 protected:
  Prestart() : world(1) {
    for (const char* folder : {"/run", "/run/containerd", "/run/aks-node-controller", "/var", "/var/lib"})
      world.disk[folder] = host::sim::Node{FileKind::kDirectory, 0755, ""};
    world.programs["iptables-save"] = {};
    world.programs["iptables-restore"] = {};
    world.on_spawn = [this](const host::Command& command) { programs.push_back(command.argv[0]); };
  }

  void mark() { world.disk[std::string(render::node::kPrestartDone)] = host::sim::Node{}; }

  void put(const std::string& path, std::string content) {
    for (size_t slash = path.find('/', 1); slash != std::string::npos; slash = path.find('/', slash + 1))
      world.disk.try_emplace(path.substr(0, slash), host::sim::Node{FileKind::kDirectory, 0755, ""});
    world.disk[path] = host::sim::Node{FileKind::kRegular, 0644, std::move(content)};
  }

  // containerd's socket accepts connections after `listens`, or never.
  Result<void> run(std::optional<host::Duration> listens) {
    host::sim::Machine machine(world);
    host::Host& host = machine.host();
    const host::TimePoint began = host.loop.now();
    if (listens) host.loop.call_at(began + *listens, [&host] { (void)host.files.write(kContainerdSocket, "", 0660); });
    std::optional<Result<void>> result;
    machine.loop().run(kubelet_prestart(host, {}, [](const Error&) {}), &result);
    took = host.loop.now() - began;
    return result ? *std::move(result) : Result<void>(Error("it never ended"));
  }

  host::sim::World world;
  std::vector<std::string> programs;
  host::Duration took = {};
};

TEST_F(Prestart, WaitsForTheRuntimeAlsoAtTheFirstStart) {
  mark();
  ASSERT_TRUE(run(1s));
  EXPECT_GE(took, 1s);
  EXPECT_LT(took, 1s + 10ms);
  EXPECT_THAT(programs, IsEmpty());
  EXPECT_FALSE(world.disk.contains(std::string(render::node::kPrestartDone)));
}

TEST_F(Prestart, DoesTheWholeWorkAtEveryLaterStart) {
  ASSERT_TRUE(run(0s));
  EXPECT_THAT(programs, Contains("iptables-save"));
}

TEST_F(Prestart, RemovesNetworkResultsThatAPowerCutHasEmptied) {
  put("/var/lib/cni/results/cut-eth0", "");
  put("/var/lib/cni/results/whole-eth0", "{}");
  put("/var/lib/cni/other", "");
  mark();
  ASSERT_TRUE(run(0s));
  EXPECT_FALSE(world.disk.contains("/var/lib/cni/results/cut-eth0"));
  EXPECT_TRUE(world.disk.contains("/var/lib/cni/results/whole-eth0"));
  EXPECT_TRUE(world.disk.contains("/var/lib/cni/other"));
}

TEST_F(Prestart, DoesNotFailForNetworkResultsThatCannotBeListed) {
  world.faults.unreadable["/var/lib/cni/results"] = EIO;
  EXPECT_TRUE(run(0s));
}

TEST_F(Prestart, LeavesNetworkResultsThatAreBeingWritten) {
  ASSERT_TRUE(run(0s));
  put("/var/lib/cni/results/new-eth0", "");  // containerd works while kubelet is restarted
  ASSERT_TRUE(run(0s));
  EXPECT_TRUE(world.disk.contains("/var/lib/cni/results/new-eth0"));
}

TEST_F(Prestart, SaysThatNobodyListensBeforeSystemdEndsTheStart) {
  mark();
  const auto done = run(std::nullopt);
  ASSERT_FALSE(done);
  EXPECT_LT(took, 90s);
  EXPECT_THAT(done.error().what, HasSubstr("containerd's socket"));
  EXPECT_THAT(done.error().hint, HasSubstr("journalctl -u containerd"));
}

}  // namespace
}  // namespace sunup::plan

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

  // Somebody listens at containerd's socket after so long; nothing: nobody ever does.
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

// Tests whether systemd has read what steps wrote, and that a reload is requested only if necessary.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "plan/test_step.h"

namespace sunup::plan {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class UnitFiles : public Steps {
 protected:
  UnitFiles() {
    world.units["containerd.service"] = {};
    world.on_operation = [this](host::TimePoint, std::string_view what, const std::string&) {
      reloads += what == "reload units";
    };
    put(kDropIn, "[Service]\n");
    learned["containerd.changed"] = "yes";
  }

  using Read = std::map<std::string, std::string>;
  static constexpr char kDropIn[] = "/etc/systemd/system/containerd.service.d/exec_start.conf";
  int reloads = 0;
};

TEST_F(UnitFiles, AreReadBySystemdItselfIfItDoesNotHoldTheUnit) {
  ASSERT_TRUE(run("containerd.start"));
  EXPECT_EQ(reloads, 0);
  EXPECT_THAT(world.started_outdated, IsEmpty());
}

TEST_F(UnitFiles, AreReadAgainIfTheUnitWasReadBeforeTheyWereWritten) {
  world.units["containerd.service"].read = Read{{"/etc/systemd/system/containerd.service", "as it was at boot"}};
  ASSERT_TRUE(run("containerd.start"));
  EXPECT_EQ(reloads, 1);
  EXPECT_THAT(world.started_outdated, IsEmpty());
}

TEST_F(UnitFiles, ThatHaveBeenReadAreNotReadAgain) {
  world.units["containerd.service"].read = Read{{kDropIn, "[Service]\n"}};
  ASSERT_TRUE(run("containerd.start"));
  EXPECT_EQ(reloads, 0);
}

TEST_F(UnitFiles, ThatSystemdOverlookedAreReadAndTheUnitIsStartedAgain) {
  world.faults.overlooked_folders = 100;
  ASSERT_TRUE(run("containerd.start"));
  EXPECT_EQ(reloads, 1);
  EXPECT_THAT(world.started_outdated, IsEmpty());
  EXPECT_THAT(notes, ElementsAre(HasSubstr("started from older files")));
}

TEST_F(UnitFiles, NewerManagersFlagIsNoReasonToStartAgain) {
  world.some_unit_enabled = true;
  ASSERT_TRUE(run("containerd.start"));
  EXPECT_EQ(reloads, 0);
  EXPECT_THAT(notes, IsEmpty());
}

class CopiedUnit : public UnitFiles {
 protected:
  static constexpr char kPackaged[] = "/usr/lib/systemd/system/containerd.service";
  static constexpr char kCopy[] = "/run/systemd/system/containerd.service";
  CopiedUnit() {
    facts.texts[kPackaged] = "[Unit]\nAfter=network.target dbus.service\n";
    put(kPackaged, facts.texts[kPackaged]);
    put(kCopy, "[Unit]\nAfter=network.target\n");
  }
};

TEST_F(CopiedUnit, IsReadAgainIfSystemdHoldsThePackagesOne) {
  world.units["containerd.service"].read = Read{{kDropIn, "[Service]\n"}};
  ASSERT_TRUE(run("containerd.start"));
  EXPECT_EQ(reloads, 1);
  EXPECT_THAT(world.started_outdated, IsEmpty());
}

TEST_F(CopiedUnit, ThatHasBeenReadIsNotReadAgain) {
  ASSERT_TRUE(run("containerd.start"));
  EXPECT_EQ(reloads, 0);
  EXPECT_THAT(world.started_outdated, IsEmpty());
}

TEST_F(CopiedUnit, ThatSystemdOverlookedIsReadAndTheUnitIsStartedAgain) {
  world.disk.erase(kDropIn);
  world.faults.overlooked_folders = 100;
  ASSERT_TRUE(run("containerd.start"));
  EXPECT_EQ(reloads, 1);
  EXPECT_THAT(world.started_outdated, IsEmpty());
}

// The copy does not exist after a reboot.
TEST_F(CopiedUnit, IsNotWhatLaterBootsAreLinkedTo) {
  ASSERT_TRUE(run("containerd.enable"));
  EXPECT_EQ(world.disk["/etc/systemd/system/multi-user.target.wants/containerd.service"].content, kPackaged);
}

TEST_F(UnitFiles, OfKubeletAreReadBeforeItIsStarted) {
  world.units["kubelet.service"] = {};
  put("/etc/systemd/system/kubelet.service.d/10-tlsbootstrap.conf", "[Service]\n");
  world.faults.overlooked_folders = 100;
  ASSERT_TRUE(run("kubelet.load"));
  EXPECT_EQ(reloads, 1);
}

class KubeletThatRuns : public Steps {
 protected:
  static constexpr int64_t kStarted = 1'700'000'000'000'001;  // microseconds since 1970

  KubeletThatRuns() {
    world.units["kubelet.service"] = {.active = "active", .active_since_us = 1};
    put("/etc/default/kubelet", "");
  }

  void written(int64_t us) { world.disk.at("/etc/default/kubelet").modified_ns = us * 1000; }
  bool started_again() { return world.units.at("kubelet.service").active_since_us > 1; }
};

TEST_F(KubeletThatRuns, WithFilesThatWereWrittenSinceIsStartedAgain) {
  written(kStarted - 1'000);  // or just before: the file's timestamp is too coarse to decide
  ASSERT_TRUE(run("kubelet.start"));
  EXPECT_TRUE(started_again());
  EXPECT_THAT(notes, ElementsAre("it is already running, with older files"));
}

TEST_F(KubeletThatRuns, WithTheFilesAsTheyAreIsLeft) {
  written(kStarted - 20'000);
  ASSERT_TRUE(run("kubelet.start"));
  EXPECT_FALSE(started_again());
  EXPECT_THAT(notes, IsEmpty());
}

TEST_F(Steps, NetworkdStartsAgainUnlessItSurelyReadItsConfig) {
  facts = node::golden_image(render::Distro::kUbuntu2404);
  constexpr char kConf[] = "/etc/systemd/networkd.conf";
  const auto starts_again = [&](int64_t written_us) {
    put(kConf, "");
    world.disk.at(kConf).modified_ns = 1'700'000'000'000'000'000 + written_us * 1000;
    world.units["systemd-networkd.service"] = {.active = "active", .active_since_us = 500'000};
    EXPECT_TRUE(run("network.domains"));
    return world.units["systemd-networkd.service"].active_since_us != 500'000;
  };
  EXPECT_TRUE(starts_again(500'001));
  EXPECT_TRUE(starts_again(499'000));
  EXPECT_FALSE(starts_again(480'000));
}

}  // namespace
}  // namespace sunup::plan

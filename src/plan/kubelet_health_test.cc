// kubelet.health: which kubelets count as started, and how soon this is known.
#include "plan/kubelet_health.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "plan/test_step.h"

namespace sunup::plan {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class KubeletHealth : public Steps {
 protected:
  KubeletHealth() { world.units[kKubelet] = {.takes = 1ms, .makes = {kKubeletStarted}}; }

  // Starts kubelet and runs the health check.
  Result<void> look() {
    host::sim::Machine machine(world);
    if (auto started = run("kubelet.start", machine); !started) return started;
    const host::TimePoint before = machine.loop().now();
    auto seen = run("kubelet.health", machine);
    took = machine.loop().now() - before;
    return seen;
  }

  // kubelet never completes its start.
  void ends_for_ever() { world.units[kKubelet].flaps = 1000; }

  host::Duration took = {};
};

TEST_F(KubeletHealth, IsKnownAsSoonAsKubeletHasComeThroughItsStart) {
  ASSERT_TRUE(look());
  EXPECT_LT(took, 100ms);
  EXPECT_THAT(notes, IsEmpty());
  EXPECT_THAT(spawned, IsEmpty());
}

TEST_F(KubeletHealth, OfAKubeletThatEndsAgainAndAgainIsAFailureWithKubeletsOwnReason) {
  ends_for_ever();
  world.programs["journalctl"] = {
      .output =
          "I1117 22:50:01.100000     123 server.go:527] \"Kubelet version\" kubeletVersion=\"v1.36.4\"\n"
          "E1117 22:50:01.200000     123 run.go:72] \"command failed\" err=\"failed to run Kubelet: kubelet is "
          "configured to not run on a host using cgroup v1\"\n"};
  const auto seen = look();
  ASSERT_FALSE(seen);
  EXPECT_EQ(seen.error().what,
            "kubelet exits repeatedly (exit-code): failed to run Kubelet: kubelet is configured to not run on a "
            "host using cgroup v1");
  EXPECT_THAT(seen.error().hint, HasSubstr("journalctl -u kubelet"));
  EXPECT_LT(took, 5s);
}

TEST_F(KubeletHealth, NamesATokenThatIsRefused) {
  ends_for_ever();
  world.programs["journalctl"] = {
      .output =
          "E1117 22:50:01.200000     123 run.go:72] \"command failed\" err=\"failed to run Kubelet: cannot create "
          "certificate signing request: Unauthorized\"\n"};
  const auto seen = look();
  ASSERT_FALSE(seen);
  EXPECT_THAT(seen.error().what, HasSubstr("the cluster does not know the bootstrap token"));
}

TEST_F(KubeletHealth, NamesTheClock) {
  ends_for_ever();
  world.programs["journalctl"] = {
      .output =
          "E1117 22:50:01.200000     123 run.go:72] \"command failed\" err=\"tls: failed to verify certificate: x509: "
          "certificate has expired or is not yet valid: current time 2020-01-01T00:00:00Z is before 2026\"\n"};
  const auto seen = look();
  ASSERT_FALSE(seen);
  EXPECT_THAT(seen.error().what, HasSubstr("the clock of the node makes a certificate invalid"));
}

TEST_F(KubeletHealth, OfAKubeletThatEndsAgainAndAgainIsAFailureAlsoWithoutAJournal) {
  ends_for_ever();
  const auto seen = look();
  ASSERT_FALSE(seen);
  EXPECT_EQ(seen.error().what, "kubelet exits repeatedly (exit-code)");
}

TEST_F(KubeletHealth, SurvivesOneEnd) {
  world.units[kKubelet].flaps = 2;  // the second start completes
  ASSERT_TRUE(look());
  EXPECT_THAT(notes, ElementsAre("kubelet has exited (exit-code)"));
}

// systemd pauses before it restarts kubelet, and the limit may expire during that pause.
TEST_F(KubeletHealth, SurvivesOneEndRightBeforeTheLimit) {
  world.units[kKubelet].flaps = 1;
  world.units[kKubelet].lives = 9990ms;
  world.units[kKubelet].makes = {};
  ASSERT_TRUE(look());
  EXPECT_LT(took, 21s);
}

TEST_F(KubeletHealth, OfAKubeletThatEndsLateAndAgainIsAFailure) {
  world.units[kKubelet].flaps = 1000;
  world.units[kKubelet].lives = 6s;
  const auto seen = look();
  ASSERT_FALSE(seen);
  EXPECT_THAT(seen.error().what, HasSubstr("kubelet exits repeatedly"));
}

// kubelet may wait for its certificate, for example. That is a failure of the API server, and the step that checks the
// API server reports it.
TEST_F(KubeletHealth, OfAKubeletThatWaitsIsGood) {
  world.units[kKubelet].makes = {};
  ASSERT_TRUE(look());
  EXPECT_LT(took, 11s);
  EXPECT_THAT(notes, ElementsAre(HasSubstr("kubelet's start: no response within 10s")));
}

TEST_F(KubeletHealth, OfAUnitThatIsNotStartedAgainIsAFailureAtOnce) {
  world.units[kKubelet] = {.active = "failed", .result = "exit-code"};
  const auto seen = run("kubelet.health");
  ASSERT_FALSE(seen);
  EXPECT_EQ(seen.error().what, "kubelet.service is failed (exit-code)");
}

TEST(LastError, IsTheLastOneThatKubeletWrote) {
  EXPECT_EQ(last_error(""), "");
  EXPECT_EQ(last_error("I1117 22:50:01.1 1 a.go:1] fine\nno message of kubelet's\n"), "");
  EXPECT_EQ(last_error("E1117 22:50:01.1 1 a.go:1] \"first\" err=\"one\"\nE1117 22:50:01.2 1 b.go:2] \"x\" "
                       "err=\"unknown flag: \\\"--y\\\"\" a=\"b\"\nI1117 22:50:01.3 1 c.go:3] later\n"),
            "unknown flag: \"--y\"");
}

// kubelet 1.20 writes the stacks of all goroutines after the error.
TEST(LastError, IsFoundBeforeAStack) {
  EXPECT_EQ(last_error("F1117 22:50:01.1 1 server.go:269] failed to run Kubelet: running with swap on\n"
                       "goroutine 1 [running]:\nk8s.io/klog.stacks(...)\n"),
            "failed to run Kubelet: running with swap on");
}

TEST(LastError, OfFlagsIsPlain) {
  EXPECT_EQ(last_error("Error: failed to parse kubelet flag: unknown flag: --docker\nUsage:\n"),
            "Error: failed to parse kubelet flag: unknown flag: --docker");
}

}  // namespace
}  // namespace sunup::plan

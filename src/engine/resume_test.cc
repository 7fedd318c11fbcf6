// A run after a failed one: which steps it repeats and which it does not.
#include "engine/resume.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/test_runs.h"

namespace sunup::engine {
namespace {

using host::sim::Machine;
using testing::ContainsRegex;
using testing::ElementsAre;
using testing::UnorderedElementsAre;

// Steps that leave files, for runs after a failure.
struct RetryTest : TestRuns {
  Step writes(std::string name, std::string path, std::vector<std::string> needs = {}) {
    Step made = step(std::move(name), std::move(needs));
    made.files = {{path, 0644}};
    made.run = [this, name = made.name, path](Context& c) -> Task<Result<void>> {
      log.push_back(name + (c.renews() ? " anew" : ""));
      co_return c.host.files.write(path, name + "'s");
    };
    return made;
  }
  std::vector<Step> steps() {
    return {writes("a", "/etc/a"), writes("b", "/etc/b", {"a"}), writes("x", "/etc/x"), failing("ends", 1, {"b", "x"})};
  }
  // The steps that the second run performs if `change` was applied to the machine in between.
  std::vector<std::string> retried_after(std::vector<Step> all, const std::function<void(host::Files&)>& change) {
    EXPECT_FALSE(run(std::move(all)).ok);
    log.clear();
    {
      Machine machine(world);
      change(machine.host().files);
    }
    EXPECT_TRUE(run_again().ok);
    return log;
  }
};

TEST_F(RetryTest, SkipsWhatIsStillThere) {
  EXPECT_THAT(retried_after(steps(), [](host::Files&) {}), ElementsAre("ends"));
}

TEST_F(RetryTest, MakesAFileThatIsGoneAgainAndWhatDependsOnIt) {
  const auto again = retried_after(steps(), [](host::Files& files) { (void)files.remove("/etc/a"); });
  EXPECT_THAT(again, ElementsAre("a anew", "b anew", "ends"));
  EXPECT_EQ(world.disk.at("/etc/a").content, "a's");
  EXPECT_THAT(trace.text(), ContainsRegex(" a - .*/etc/a is gone"));
}

TEST_F(RetryTest, EnablesAUnitAgainThatWasDisabled) {
  const std::string link = "/etc/systemd/system/multi-user.target.wants/x.service";
  Step enables = step("enables");
  enables.units = {"x.service"};
  enables.run = [this, link](Context& c) -> Task<Result<void>> {
    log.push_back("enables");
    co_return c.host.files.symlink("/usr/lib/systemd/system/x.service", link);
  };
  EXPECT_THAT(retried_after({enables, failing("ends", 1, {"enables"})}, [](host::Files&) {}), ElementsAre("ends"));
  world = host::sim::World(1);
  const auto again =
      retried_after({enables, failing("ends", 1, {"enables"})}, [&](host::Files& files) { (void)files.remove(link); });
  EXPECT_THAT(again, ElementsAre("enables", "ends"));
}

TEST_F(RetryTest, MakesAFileThatWasEditedAgain) {
  const auto again = retried_after(steps(), [](host::Files& files) { (void)files.write("/etc/x", "x'S"); });
  EXPECT_THAT(again, ElementsAre("x anew", "ends"));
  EXPECT_THAT(trace.text(), ContainsRegex(" x - .*/etc/x has changed since"));
}

TEST_F(RetryTest, MakesAFileWithAnotherModeAgain) {
  const auto again = retried_after(steps(), [](host::Files& files) { (void)files.set_mode("/etc/x", 0666); });
  EXPECT_THAT(again, ElementsAre("x anew", "ends"));
}

TEST_F(RetryTest, RemovesAFileThatIsBackAgain) {
  Step removes = step("removes");
  removes.files = {{"/etc/old", 0}};
  const auto again =
      retried_after({removes, failing("ends", 1)}, [](host::Files& files) { (void)files.write("/etc/old", "back"); });
  EXPECT_THAT(again, UnorderedElementsAre("removes", "ends"));
}

TEST_F(RetryTest, LinksAgainWhatPointsElsewhere) {
  Step links = step("links");
  links.files = {{"/etc/link", 0777}};
  links.run = [this](Context& c) -> Task<Result<void>> {
    log.push_back("links");
    co_return c.host.files.symlink("/here", "/etc/link");
  };
  const std::vector<Step> all = {links, failing("ends", 1)};
  EXPECT_THAT(retried_after(all, [](host::Files&) {}), ElementsAre("ends"));
  world.disk.erase("/var/lib/sunup/journal");
  log.clear();
  const auto again = retried_after({links, failing("ends", 1)},
                                   [](host::Files& files) { (void)files.symlink("/there", "/etc/link"); });
  EXPECT_THAT(again, UnorderedElementsAre("links", "ends"));
}

TEST_F(RetryTest, LooksAtFilesWhoseNamesWereLearnedOnTheWay) {
  Step learns = step("learns");
  learns.run = [this](Context& c) -> Task<Result<void>> {
    log.push_back("learns");
    c.wrote("/etc/card-7");
    co_return c.host.files.write("/etc/card-7", "7");
  };
  const auto again =
      retried_after({learns, failing("ends", 1)}, [](host::Files& files) { (void)files.remove("/etc/card-7"); });
  EXPECT_THAT(again, UnorderedElementsAre("learns", "ends"));
}

TEST_F(RetryTest, FileOfSeveralStepsIsTheLastOnes) {
  std::vector<Step> all = steps();
  all[1].files.push_back({"/etc/a", 0});  // b consumes the file that a made
  all[1].run = [this](Context& c) -> Task<Result<void>> {
    log.push_back("b");
    co_return c.host.files.remove("/etc/a");
  };
  EXPECT_THAT(retried_after(all, [](host::Files&) {}), ElementsAre("ends"));
}

TEST_F(RetryTest, SharedAndTemporaryFilesAreNotHeldAgainstAStep) {
  std::vector<Step> all = steps();
  all[0].files = {{.path = "/etc/a", .mode = 0644, .temporary = false, .shared = true}};
  all[2].files = {{.path = "/etc/x", .mode = 0644, .temporary = true}};
  const auto again = retried_after(all, [](host::Files& files) {
    (void)files.write("/etc/a", "and another's");
    (void)files.remove("/etc/x");
  });
  EXPECT_THAT(again, ElementsAre("ends"));
}

TEST_F(RetryTest, StepRunsWhosePlanSeesThatAPartOfItIsMissing) {
  std::vector<Step> all = steps();
  EXPECT_FALSE(run(all).ok);
  log.clear();
  all[2].undone = "/etc/fstab lacks its part of it";
  EXPECT_TRUE(run(all).ok);
  EXPECT_THAT(log, ElementsAre("x anew", "ends"));
  EXPECT_THAT(trace.text(), ContainsRegex(" x - .*/etc/fstab lacks its part of it"));
}

TEST_F(RetryTest, StepRunsThatAnswersForAFileItDidNotBefore) {
  std::vector<Step> all = steps();
  EXPECT_FALSE(run(all).ok);
  log.clear();
  all[2].files.push_back({"/etc/new", 0644});
  EXPECT_TRUE(run(all).ok);
  EXPECT_THAT(log, ElementsAre("x anew", "ends"));
}

TEST_F(RetryTest, NoFileIsLookedAtBeforeTheFirstRun) {
  int looks = 0;
  world.on_operation = [&](host::TimePoint, std::string_view what, const std::string& on) {
    looks += what == "look at" && on == "/etc/a";
  };
  run({writes("a", "/etc/a"), failing("ends", 1, {"a"})});
  EXPECT_EQ(looks, 1);  // only when it was written
  run_again();
  EXPECT_EQ(looks, 2);
}

TEST_F(RetryTest, WhatEveryRunSeesToRenewsOnlyIfSomethingBeforeItChanged) {
  std::vector<Step> all = {writes("a", "/etc/a"), writes("starts", "/run/mark", {"a"}), failing("ends", 2, {"starts"})};
  all[1].lasts = Lasts::kThisRun;
  run(all);
  log.clear();
  world.disk.erase("/run/mark");
  run_again();
  EXPECT_THAT(log, ElementsAre("starts", "ends"));
  log.clear();
  world.disk.erase("/etc/a");
  run_again();
  EXPECT_THAT(log, ElementsAre("a anew", "starts anew", "ends"));
}

}  // namespace
}  // namespace sunup::engine

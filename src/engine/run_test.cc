#include "engine/run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>

#include "engine/test_runs.h"

namespace sunup::engine {
namespace {

using namespace std::chrono_literals;
using host::sim::EndOfRun;
using host::sim::Machine;
using host::sim::World;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::UnorderedElementsAre;

using RunTest = TestRuns;

TEST_F(RunTest, EmptyGraphIsDoneAtOnce) {
  EXPECT_TRUE(run({}).ok);
}

TEST_F(RunTest, StepsRunAfterTheirNeedsAndSideBySide) {
  const Report report = run({step("c", {"a", "b"}), step("a", {}, 20ms), step("b", {}, 10ms)});
  EXPECT_TRUE(report.ok);
  EXPECT_THAT(log, ElementsAre("b", "a", "c"));
  EXPECT_EQ(report.steps[0].started - report.started, 20ms);  // a and b overlapped
}

TEST_F(RunTest, WhatACancelledStepHasSetGoingIsTakenBackBeforeTheResultIsPublished) {
  const auto with_take_back = [this](Step made) {
    made.take_back = [this, name = made.name](Context& c) -> Task<Result<void>> {
      co_await c.host.loop.after(1ms);
      log.push_back(name + " taken back");
      co_return Result<void>();
    };
    return made;
  };
  options.on_complete = [this](const Report&) -> Task<Result<void>> {
    log.emplace_back("published");
    co_return Result<void>();
  };
  const Report report = run({with_take_back(step("done", {}, 10ms)), with_take_back(step("under way", {}, 30s)),
                             failing("broken", 1, {"done"}), with_take_back(step("never", {"broken"}))});
  EXPECT_FALSE(report.ok);
  EXPECT_THAT(log, ElementsAre("done", "broken", "under way taken back", "published"));
}

TEST_F(RunTest, CriticalStepsStartBeforeAnythingElse) {
  options.profile.record("long", 1s);
  run({step("tidy"), step("short"), step("long"), step("goal", {"short", "long"})}, "goal");
  EXPECT_THAT(log, ElementsAre("long", "short", "goal", "tidy"));
}

TEST_F(RunTest, DeferredStepsWaitForTheMilestoneAndTheirFailureIsNobodysBusiness) {
  Step late = failing("late", 1);
  late.phase = Phase::kDeferred;
  bool late_was_done_at_completion = true;
  options.on_complete = [&](const Report&) -> Task<Result<void>> {
    late_was_done_at_completion = std::count(log.begin(), log.end(), "slow late") > 0;
    co_return Result<void>();
  };
  Step slow_late = step("slow late", {}, 1h);
  slow_late.phase = Phase::kDeferred;
  slow_late.deadline = 2h;
  const Report report = run({late, slow_late, step("goal", {}, 10ms), step("tidy", {"goal"}, 10ms)}, "goal");
  EXPECT_TRUE(report.ok);
  EXPECT_THAT(log, ElementsAre("goal", "late", "tidy", "slow late"));
  EXPECT_FALSE(late_was_done_at_completion);
  EXPECT_EQ(outcome(report, "late"), StepOutcome::kFailed);
}

TEST_F(RunTest, FatalFailureCancelsTheRestAndNamesTheStep) {
  Step bad = failing("bad", 1);
  bad.exit_code = 42;
  options.profile.record("slow", 1h);  // so that it starts first
  bool told = false;
  options.on_complete = [&](const Report& report) -> Task<Result<void>> {
    told = !report.ok && report.failed_step == "bad";
    co_return Result<void>();
  };
  const Report report = run({step("slow", {}, 1h), bad, step("next", {"bad"})});
  EXPECT_FALSE(report.ok);
  EXPECT_EQ(report.failed_step, "bad");
  EXPECT_EQ(report.error.what, "step bad: broken");
  EXPECT_EQ(report.error.code, 42);
  EXPECT_EQ(outcome(report, "slow"), StepOutcome::kCancelled);
  EXPECT_EQ(outcome(report, "next"), StepOutcome::kNotRun);
  EXPECT_LT(report.completed - report.started, 1s);
  EXPECT_TRUE(told);
}

TEST_F(RunTest, NonFatalFailureDropsWhoNeedsItAndLetsThePathGoOn) {
  Step shaky = failing("shaky", 1);
  shaky.fatal = false;
  Step needs_it = step("needs it", {"shaky"});
  needs_it.fatal = false;
  Step after = step("after");
  after.after = {"shaky", "needs it"};
  const Report report = run({shaky, needs_it, after});
  EXPECT_TRUE(report.ok);
  EXPECT_THAT(log, ElementsAre("shaky", "after"));
  EXPECT_THAT(trace.text(), HasSubstr("dropped     needs it - needs 'shaky', which failed\n"));
}

TEST_F(RunTest, RetriesWhatIsWorthItWithGrowingPausesAndThenGivesUp) {
  Step shaky = failing("shaky", 2);
  shaky.retry = {.attempts = 3, .pause = 1s};
  EXPECT_TRUE(run({shaky}).ok);
  EXPECT_EQ(log.size(), 3U);
  EXPECT_GE(took.time_since_epoch() - 1s, 1500ms);  // at least half of 1 s and half of 2 s

  log.clear();
  Step hopeless = failing("hopeless", 9);
  hopeless.retry = {.attempts = 5, .pause = 1s, .worth = [](const Error& e) { return e.what != "broken"; }};
  EXPECT_FALSE(run({hopeless}).ok);
  EXPECT_EQ(log.size(), 1U);
}

TEST_F(RunTest, APauseFromTheStartOfAnAttemptIsOverWhenALongAttemptEnds) {
  Step slow = failing("slow", 99);
  slow.deadline = 1h;
  slow.retry = {.attempts = 5, .pause = 1s, .longest_pause = 1s, .from_start = true};
  slow.run = [](Context& c) -> Task<Result<void>> {
    co_await c.host.loop.after(3s);
    co_return Error("broken");
  };
  const Report long_ones = run({slow});
  EXPECT_EQ(long_ones.steps[0].attempts, 5);
  EXPECT_EQ(long_ones.completed - long_ones.started, 15s);

  Step quick = failing("quick", 99);
  quick.retry = slow.retry;
  const Report short_ones = run({quick});
  EXPECT_GE(short_ones.completed - short_ones.started, 2s) << "four pauses of at least half a second";

  slow.deadline = 10s;
  EXPECT_EQ(run({slow}).steps[0].attempts, 4) << "no attempt starts after the deadline";
}

TEST_F(RunTest, NoRetryStartsAfterTheBudget) {
  Step shaky = failing("shaky", 99);
  shaky.retry = {.attempts = 99, .pause = 1s, .longest_pause = 1s};
  shaky.deadline = 1h;
  options.retry_budget = 5s;
  const Report report = run({shaky});
  EXPECT_LE(report.completed - report.started, 5s);
  EXPECT_GT(log.size(), 4U);
}

TEST_F(RunTest, StepThatDoesNotEndIsCutOffAtItsDeadline) {
  Step endless = step("endless", {}, 24h);
  endless.deadline = 3s;
  const Report report = run({endless});
  EXPECT_EQ(report.failed_step, "endless");
  EXPECT_EQ(report.error.os_errno, ETIMEDOUT);
  EXPECT_EQ(report.completed - report.started, 3s);
}

TEST_F(RunTest, EachAttemptMayHaveItsOwnLimit) {
  Step endless = step("endless", {}, 24h);
  endless.retry = {.attempts = 3, .pause = 2ms, .each = 1s};
  const Report report = run({endless});
  EXPECT_EQ(report.steps[0].attempts, 3);
  EXPECT_LT(report.completed - report.started, 4s);
}

TEST_F(RunTest, OverallDeadlineCancelsAndStillReports) {
  options.deadline = 900s;
  Step endless = step("endless", {}, 24h);
  endless.deadline = 24h;
  const Report report = run({endless});
  EXPECT_FALSE(report.ok);
  EXPECT_TRUE(report.timed_out);
  EXPECT_EQ(report.failed_step, "deadline");
  EXPECT_EQ(report.error.what, "not done within 900s");
  EXPECT_EQ(outcome(report, "endless"), StepOutcome::kCancelled);
}

TEST_F(RunTest, TerminationCancelsAndStillReports) {
  world.faults.terminate_after = 2s;
  const Report report = run({step("endless", {}, 30s)});
  EXPECT_EQ(report.stopped_by, SIGTERM);
  EXPECT_EQ(report.failed_step, "signal");
  EXPECT_EQ(report.completed - report.started, 2s);
}

TEST_F(RunTest, FailedBarrierIsAFailure) {
  bool told = false;
  options.on_complete = [&](const Report& report) -> Task<Result<void>> {
    told = !report.ok;
    co_return Result<void>();
  };
  Step only = step("only");
  only.run = [this](Context&) -> Task<Result<void>> {
    world.faults.file_errors = 100;
    co_return Result<void>();
  };
  const Report report = run({only});
  EXPECT_EQ(report.failed_step, "durability barrier");
  EXPECT_TRUE(told);
}

TEST_F(RunTest, SecondRunSkipsWhatIsDoneAndRestoresItsFacts) {
  Step asks = step("asks");
  asks.run = [this](Context& c) -> Task<Result<void>> {
    log.push_back("asks");
    co_return c.give("asks", "the answer");
  };
  Step uses = failing("uses", 1, {"asks"});
  std::string seen;
  auto left = std::make_shared<int>(1);
  uses.run = [&seen, left](Context& c) -> Task<Result<void>> {
    if ((*left)-- > 0) co_return Error("broken");
    seen = *c.fact("asks");
    co_return Result<void>();
  };
  EXPECT_FALSE(run({asks, uses}).ok);
  const Report report = run_again();
  EXPECT_TRUE(report.ok);
  EXPECT_EQ(outcome(report, "asks"), StepOutcome::kSkipped);
  EXPECT_EQ(seen, "the answer");
  EXPECT_THAT(log, ElementsAre("asks"));
  EXPECT_THAT(trace.text(), HasSubstr("skipped     asks - done earlier in this boot"));
}

TEST_F(RunTest, WhatCanEndAtAnyTimeIsSeenToByEveryRun) {
  Step starts = step("starts", {"files"});
  starts.lasts = Lasts::kThisRun;
  const std::vector<Step> steps = {step("files"), starts, step("after", {"starts"})};
  run(steps);
  log.clear();
  run_again();
  EXPECT_THAT(log, ElementsAre("starts", "after"));
}

TEST_F(RunTest, ChangedInputsRunAgainWithEverythingAfterThem) {
  std::vector<Step> steps = {step("a"), step("b", {"a"}), step("c", {"b"}), step("x")};
  run(steps);
  log.clear();
  steps[1].inputs = "new";
  run(steps);
  EXPECT_THAT(log, ElementsAre("b", "c"));
  EXPECT_THAT(trace.text(), HasSubstr("ready       c - waited last for 'b'\n"));
}

TEST_F(RunTest, DeferredStepRunsAgainWhenWhatItOverwritesIsWrittenAgain) {
  Step early = step("early");
  Step late = step("late");
  late.phase = Phase::kDeferred;
  early.files = late.files = {{"/etc/x", 0644}};
  std::vector<Step> steps = {late, early, step("goal", {"early"})};
  run(steps, "goal");
  log.clear();
  steps[1].inputs = "new";
  run(steps, "goal");
  EXPECT_THAT(log, ElementsAre("early", "goal", "late"));
}

TEST_F(RunTest, OnlyDeferredStepsRunAfterASuccessThatWasCutOff) {
  Step asks = step("asks");
  asks.run = [](Context& c) -> Task<Result<void>> { co_return c.give("asks", "the answer"); };
  Step later = step("later", {"asks", "goal"}, 10s);
  Step broken = failing("broken", 9);
  broken.fatal = false;
  Step hopeless = step("hopeless", {"broken"});
  Step patient = step("patient");
  patient.after = {"broken"};
  later.phase = hopeless.phase = patient.phase = Phase::kDeferred;
  std::string seen;
  const auto body = later.run;
  later.run = [&seen, body](Context& c) -> Task<Result<void>> {
    seen = *c.fact("asks");
    co_return co_await body(c);
  };
  world.faults.terminate_after = 5s;
  const Report first = run({asks, broken, step("goal"), later, hopeless, patient}, "goal");
  EXPECT_TRUE(first.ok);
  EXPECT_FALSE(first.settled);

  world.faults = {};
  world.power_cut();  // "goal" does not survive it, and is still not repeated
  log.clear();
  seen.clear();
  options.only_deferred = true;
  const Report second = run_again();
  EXPECT_TRUE(second.settled);
  EXPECT_THAT(log, ElementsAre("patient", "later"));
  EXPECT_EQ(seen, "the answer");
  EXPECT_EQ(outcome(second, "goal"), StepOutcome::kSkipped);
  EXPECT_EQ(outcome(second, "hopeless"), StepOutcome::kNotRun);
  EXPECT_EQ(outcome(second, "broken"), StepOutcome::kNotRun);
}

TEST_F(RunTest, AStepThatASuccessDidWithoutIsDoneLaterIfItIsNamed) {
  Step broken = failing("broken", 1);
  broken.fatal = false;
  Step other = failing("other", 1);
  other.fatal = false;
  Step uses = step("uses", {"broken"});
  uses.fatal = false;
  const Report first = run({broken, other, uses, step("goal")}, "goal");
  EXPECT_TRUE(first.ok);

  log.clear();
  options.only_deferred = true;
  options.again = {"broken", "uses"};
  const Report second = run_again();
  EXPECT_TRUE(second.settled);
  EXPECT_THAT(log, ElementsAre("broken", "uses"));
  EXPECT_EQ(outcome(second, "goal"), StepOutcome::kSkipped);
  EXPECT_EQ(outcome(second, "other"), StepOutcome::kNotRun);
}

TEST_F(RunTest, ASuccessWhoseJournalIsLostIsStillFinished) {
  Step later = step("later", {"goal"});
  later.phase = Phase::kDeferred;
  options.only_deferred = true;
  Step goal = step("goal");
  goal.units = {"kubelet.service"};
  Step uses = step("uses", {"asks"});
  uses.phase = Phase::kDeferred;
  Step checks = failing("checks", 1);  // no other step needs its fact
  const Report report = run({goal, later, step("asks"), uses, checks}, "goal");
  EXPECT_TRUE(report.settled);
  EXPECT_THAT(log, UnorderedElementsAre("later", "asks", "uses"));
}

TEST_F(RunTest, ContextRefusesFactsThatAreNotDeclared) {
  Step a = step("a");
  Result<void> given;
  Result<std::string> asked = std::string();
  a.run = [&](Context& c) -> Task<Result<void>> {
    given = c.give("other", "x");
    asked = c.fact("b");
    co_return Result<void>();
  };
  run({a, step("b")});
  EXPECT_THAT(given.error().what, HasSubstr("'other', which it does not provide"));
  EXPECT_THAT(asked.error().what, HasSubstr("'b', which it does not need"));
}

TEST_F(RunTest, ChildrenOfDeferredStepsRunInTheBackground) {
  std::vector<bool> background;
  struct Spy : host::Processes {
    std::vector<bool>& seen;
    explicit Spy(std::vector<bool>& s) : seen(s) {}
    Result<std::unique_ptr<host::Process>> start(host::Command command) override {
      seen.push_back(command.background);
      return Error("not started");
    }
    Task<void> settled() override { co_return; }
  } spy(background);
  auto body = [](Context& c) -> Task<Result<void>> {
    (void)co_await c.host.processes.run(host::command("x"));
    co_return Result<void>();
  };
  Step now = step("now");
  Step later = step("later");
  now.run = later.run = body;
  later.phase = Phase::kDeferred;
  graph = std::make_unique<Graph>(*Graph::make({now, later}, "now"));
  Machine machine(world);
  host::Host& real = machine.host();
  host::Host spied{real.loop,    real.files, spy,       real.units,  real.kernel,
                   real.network, real.watch, real.work, real.boot_id};
  std::optional<Report> report;
  machine.loop().run(engine::run(spied, *graph, options), &report);
  EXPECT_THAT(background, ElementsAre(false, true));
}

TEST_F(RunTest, TraceOfTheSameRunIsTheSame) {
  const std::vector<Step> steps = {step("a", {}, 3ms), step("b", {"a"}), step("c")};
  run(steps);
  const std::string first = trace.text();
  trace = TextTrace();
  world = World(1);
  run(steps);
  EXPECT_EQ(trace.text(), first);
  EXPECT_THAT(first, HasSubstr("       3.000 ended       a\n"));
}

}  // namespace
}  // namespace sunup::engine

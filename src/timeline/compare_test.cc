#include "timeline/compare.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <random>

#include "timeline/budget.h"
#include "timeline/formats.h"
#include "timeline/own_time.h"
#include "timeline/test_run.h"

namespace sunup::timeline {
namespace {

using testing::HasSubstr;
using OneRun = Run;  // inside a test, Run is GoogleTest's

Group group(std::string name, std::vector<double> kubelet, double ready_after) {
  Group made{.name = std::move(name), .runs = {}};
  for (const double at : kubelet)
    made.runs.push_back({"run",
                         {{"controller.start", "controller started", 0},
                          {"kubelet.started", "kubelet started", at},
                          {"node.ready", "NodeReady", at + ready_after}},
                         RunState::kSucceeded});
  return made;
}

const ComparedMoment& moment(const Comparison& comparison, const std::string& id) {
  return *std::ranges::find(comparison.moments, id, &ComparedMoment::id);
}

TEST(Compare, ClearDifferenceIsSeenAndTracedToWhereItBegan) {
  const auto comparison =
      compare({group("before", {5.0, 5.1, 5.2, 5.1, 5.0}, 6), group("after", {2.0, 2.1, 2.2, 2.05, 2.1}, 6)});
  const Change& kubelet = moment(comparison, "kubelet.started").changes[0];
  EXPECT_EQ(kubelet.judgement, Judgement::kFaster);
  EXPECT_NEAR(kubelet.by, -3.0, 1e-9);
  const Change& ready = moment(comparison, "node.ready").changes[0];
  EXPECT_NEAR(ready.own, 0, 1e-9) << "it is only earlier because kubelet started earlier";
  EXPECT_THAT(comparison.verdicts[0], HasSubstr("largest own change: kubelet started -3.000s"));
}

TEST(Compare, WobbleIsNoise) {
  const auto comparison = compare({group("a", {5.0, 5.4, 4.9, 5.2, 5.1}, 6), group("b", {5.1, 5.3, 5.0, 4.8, 5.2}, 6)});
  EXPECT_EQ(moment(comparison, "node.ready").changes[0].judgement, Judgement::kNoise);
}

// Like a real run: a path to NodeReady, and forty steps beside it, each with a random duration.
constexpr int kBeside = 40;
Run run_by_chance(std::mt19937& chance, const std::string& late = "", double by = 0) {
  const auto about = [&chance](double seconds) {
    return seconds * (1 + 0.1 * std::normal_distribution<double>()(chance));
  };
  Run run{.name = "run", .moments = {{"controller.start", "controller started", 0}}, .state = RunState::kSucceeded};
  double at = 0;
  for (const char* id : {"kubelet.started", "kubelet.first_log", "kubelet.tls", "kubelet.runtime", "kubelet.sync_loop",
                         "node.registered", "node.ready"}) {
    at += about(0.5) + (late == id ? by : 0);
    run.moments.push_back({id, id, at});
  }
  for (int i = 0; i < kBeside; ++i) {
    const std::string id = fmt::format("step:s{}:end", i);
    run.moments.push_back({id, id, about(0.2 + 0.1 * i) + (late == id ? by : 0), {"controller.start"}});
  }
  std::ranges::stable_sort(run.moments, {}, &Moment::at);
  return run;
}
Group by_chance(std::mt19937& chance, size_t runs, const std::string& late = "", double by = 0) {
  Group made{.name = late.empty() ? "a" : "b", .runs = {}};
  for (size_t i = 0; i < runs; ++i) made.runs.push_back(run_by_chance(chance, late, by));
  return made;
}

TEST(Compare, SameAgainIsRarelyCalledDifferent) {
  std::mt19937 chance(8);  // NOLINT(cert-msc32-c,cert-msc51-cpp): the same numbers each time
  for (const size_t runs : {size_t{5}, size_t{10}}) {
    constexpr int kTimes = 200;
    int any = 0;
    int blamed = 0;
    for (int i = 0; i < kTimes; ++i) {
      const auto comparison = compare({by_chance(chance, runs), by_chance(chance, runs)});
      any += std::ranges::any_of(comparison.moments, [](const ComparedMoment& one) {
        return one.changes[0].judgement == Judgement::kFaster || one.changes[0].judgement == Judgement::kSlower;
      });
      blamed += comparison.verdicts[0].find("largest own change") != std::string::npos;
    }
    // One in twenty for the goal, and as many for all others together.
    EXPECT_LE(any, kTimes / 10) << runs << " runs a side";
    EXPECT_LE(blamed, kTimes / 20) << runs << " runs a side";
  }
}

TEST(Compare, WhatIsLateByItselfIsBlamedAndNotWhatFollowsIt) {
  std::mt19937 chance(8);  // NOLINT(cert-msc32-c,cert-msc51-cpp): the same numbers each time
  for (const char* late : {"kubelet.started", "kubelet.runtime", "node.ready"}) {
    const auto comparison = compare({by_chance(chance, 6), by_chance(chance, 6, late, 1)});
    EXPECT_EQ(moment(comparison, "node.ready").changes[0].judgement, Judgement::kSlower) << late;
    EXPECT_THAT(comparison.verdicts[0], HasSubstr(fmt::format("largest own change: {} +", late)));
    EXPECT_NEAR(moment(comparison, late).changes[0].own, 1, 0.2);
    if (std::string_view(late) == "kubelet.runtime") {
      EXPECT_NEAR(moment(comparison, "kubelet.sync_loop").changes[0].own, 0, 0.2);
    }
  }
}

TEST(Compare, WhatNobodyWaitedForIsNotBlamed) {
  std::mt19937 chance(8);  // NOLINT(cert-msc32-c,cert-msc51-cpp): the same numbers each time
  Group slow = by_chance(chance, 8, "kubelet.started", 1);
  for (OneRun& run : slow.runs)
    for (Moment& moment : run.moments)
      if (moment.id == "step:s3:end") moment.at += 5;
  const auto comparison = compare({by_chance(chance, 8), slow});
  EXPECT_EQ(moment(comparison, "step:s3:end").changes[0].judgement, Judgement::kSlower);
  EXPECT_THAT(comparison.verdicts[0], HasSubstr("largest own change: kubelet.started"));
}

TEST(Compare, HundredsOfRunsAreCompared) {
  std::mt19937 chance(8);  // NOLINT(cert-msc32-c,cert-msc51-cpp): the same numbers each time
  const auto comparison = compare({by_chance(chance, 300), by_chance(chance, 300, "kubelet.tls", 0.05)});
  EXPECT_THAT(comparison.verdicts[0], HasSubstr("(slower); largest own change: kubelet.tls +0.0"));
}

TEST(Compare, MomentFollowsWhatTheTimelineSaysItWaitedFor) {
  const Timeline timeline = made(3);
  const OneRun run = run_of("a", timeline);
  const OneRun again = *run_of_json("a", as_json(timeline));
  for (const OneRun* one : {&run, &again}) {
    const auto found = std::ranges::find(one->moments, "step:step2:end", &Moment::id);
    ASSERT_NE(found, one->moments.end());
    EXPECT_THAT(found->after, testing::ElementsAre("step:step1:end"));
    EXPECT_THAT(way_to(*one, "step:step2:end"),
                testing::ElementsAre("controller.start", "step:step0:end", "step:step1:end", "step:step2:end"));
  }
}

TEST(Compare, OneRunEachProvesNothing) {
  const auto comparison = compare({group("a", {5}, 6), group("b", {2}, 6)});
  EXPECT_EQ(moment(comparison, "node.ready").changes[0].judgement, Judgement::kTooFew);
  EXPECT_THAT(comparison_text(comparison), HasSubstr("too few runs to tell"));
}

TEST(Compare, MilestoneOfOneSideOnlyIsSaid) {
  Group other = group("b", {2}, 6);
  other.runs[0].moments.pop_back();
  const auto comparison = compare({group("a", {5}, 6), other});
  EXPECT_EQ(moment(comparison, "node.ready").changes[0].judgement, Judgement::kOnlyOne);
}

TEST(Compare, RunsThatFailedAreCountedAndNotCalledFaster) {
  Group failing = group("b", {0.1, 0.1, 0.1, 0.1, 5.1}, 6);
  for (size_t i = 0; i < 4; ++i) failing.runs[i].state = RunState::kFailed;
  const auto comparison = compare({group("a", {5.0, 5.1, 5.2, 5.1, 5.0}, 6), failing});
  EXPECT_EQ(moment(comparison, "node.ready").changes[0].figures->runs, 1u);
  EXPECT_EQ(moment(comparison, "node.ready").changes[0].judgement, Judgement::kTooFew);
  EXPECT_THAT(comparison_text(comparison), HasSubstr("B: b (5 runs; 4 of 5 runs failed: not compared)"));
  failing.runs[4].state = RunState::kCutOff;
  EXPECT_THAT(comparison_text(compare({group("a", {5}, 6), failing})),
              HasSubstr("4 of 5 runs failed; 1 of 5 runs did not end: not compared)"));
}

TEST(Compare, OnlyStepsThatWereDoneHaveAnEnd) {
  Timeline timeline;
  for (const SpanState state : {SpanState::kDone, SpanState::kFailed, SpanState::kCancelled, SpanState::kRunning}) {
    Span span{.name = std::string(to_string(state))};
    span.state = state;
    timeline.add_span(std::move(span), Point{.id = fmt::format("step:{}:start", to_string(state))},
                      Point{.id = fmt::format("step:{}:end", to_string(state))});
  }
  const auto run = run_of("a", timeline);
  ASSERT_EQ(run.moments.size(), 1u);
  EXPECT_EQ(run.moments[0].label, "done done");
}

TEST(RunOfJson, TakesWhatHasTheRightTypeAndNoneOfTheRest) {
  const auto run =
      run_of_json("a", R"({"schema":"sunup.timeline/1","state":"failed","milestones":[5,null,{"id":7,"at":1},
    {"id":"node.ready","at":"x"},{"id":"kubelet.started","at":2,"label":5}],"spans":[{"name":"a","end":1,"kind":5},
    {"name":"b","end":1,"kind":"step","state":5,"depth":"x"},{"name":"c","end":1,"kind":"step","state":"done","depth":[]},
    {"name":"d","end":1,"kind":"step","state":"failed"}]})");
  ASSERT_TRUE(run.ok()) << run.error().what;
  EXPECT_EQ(run->state, RunState::kFailed);
  ASSERT_EQ(run->moments.size(), 2u);
  EXPECT_EQ(run->moments[0].id, "step:c:end");
  EXPECT_EQ(run->moments[1].label, "kubelet.started");
  for (const char* text : {"5", "[]", "{}", R"({"schema":5})", "nonsense"}) EXPECT_FALSE(run_of_json("a", text).ok());
  EXPECT_TRUE(run_of_json("a", R"({"schema":"sunup.timeline/1","milestones":5,"spans":{"name":1}})").ok());
}

TEST(RunOfJson, TimesThatCannotBeAreRefused) {
  for (const char* at : {"1e300", "-1e300", "9223372036854775807", "4e8"}) {
    const auto milestone = run_of_json(
        "a", fmt::format(R"({{"schema":"sunup.timeline/1","milestones":[{{"id":"node.ready","at":{}}}]}})", at));
    ASSERT_FALSE(milestone.ok()) << at;
    EXPECT_THAT(milestone.error().what, HasSubstr("a: 'node.ready' has an impossible time"));
    EXPECT_FALSE(
        run_of_json("a", fmt::format(R"({{"schema":"sunup.timeline/1","spans":[{{"name":"c","end":{},"kind":"step",
      "state":"done"}}]}})",
                                     at))
            .ok());
  }
}

TEST(RunOfJson, IsMovedToTheZeroThatIsAskedFor) {
  const std::string text = R"({"schema":"sunup.timeline/1","milestones":[{"id":"controller.start","at":1},
    {"id":"kubelet.started","at":3}],"spans":[{"name":"c","end":2,"kind":"step","state":"done"}]})";
  const auto plain = run_of_json("a", text);
  EXPECT_EQ(plain->moments[2].at, 2) << "since controller.start, whatever the file's zero was";
  const auto moved = run_of_json("a", text, "kubelet.started");
  EXPECT_EQ(moved->moments[0].at, -2);
  EXPECT_EQ(moved->moments[1].at, -1) << "steps too";
  EXPECT_EQ(run_of_json("a", text, "step:c:end")->moments[2].at, 1) << "the end of a step can be the zero";
  EXPECT_THAT(run_of_json("a", text, "node.ready").error().what, HasSubstr("'node.ready' did not happen"));
}

TEST(Budget, RunThatDidNotSucceedKeepsNone) {
  for (const RunState state : {RunState::kFailed, RunState::kCutOff, RunState::kRunning, RunState::kUnknown}) {
    Group runs = group("a", {1}, 1);
    runs.runs[0].state = state;
    const auto report = check_budget(*parse_budget("kubelet.started 100"), runs);
    EXPECT_FALSE(report.kept);
    EXPECT_THAT(report.text, HasSubstr(fmt::format("FAIL  run: the run's state is '{}'", to_string(state))));
  }
}

TEST(Budget, LateMilestoneFails) {
  const auto budget = parse_budget("# ours\nkubelet.started 3\nnode.ready 10.5s  # at most\n");
  ASSERT_TRUE(budget.ok()) << budget.error().what;
  EXPECT_TRUE(check_budget(*budget, group("a", {2.9}, 7)).kept);
  const auto late = check_budget(*budget, group("a", {3.2, 3.1, 3.3}, 7));
  EXPECT_FALSE(late.kept);
  EXPECT_THAT(late.text, HasSubstr("LATE  kubelet.started              +3.200s (budget +3.000s)"));
  EXPECT_THAT(late.text, HasSubstr("ok    node.ready "));
}

TEST(Budget, MilestoneThatDidNotHappenIsLate) {
  Group runs = group("a", {1, 1}, 1);
  runs.runs[1].moments.pop_back();
  const auto report = check_budget(*parse_budget("node.ready 100"), runs);
  EXPECT_FALSE(report.kept);
  EXPECT_THAT(report.text, HasSubstr("in only 1 of 2 runs"));
}

TEST(Budget, MistakesAreNamedWithTheirLine) {
  EXPECT_THAT(parse_budget("node.raedy 3").error().what, HasSubstr("line 1: 'node.raedy' is not a milestone"));
  EXPECT_THAT(parse_budget("\nnode.ready soon").error().what, HasSubstr("line 2: 'soon' is not a number"));
  EXPECT_FALSE(parse_budget("# nothing").ok());
}

}  // namespace
}  // namespace sunup::timeline

#include "timeline/compare.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "timeline/budget.h"

namespace sunup::timeline {
namespace {

using testing::HasSubstr;

Group group(std::string name, std::vector<double> kubelet, double ready_after) {
  Group made{.name = std::move(name), .runs = {}};
  for (const double at : kubelet)
    made.runs.push_back({"run",
                         {{"controller.start", "controller started", 0},
                          {"kubelet.started", "kubelet started", at},
                          {"node.ready", "NodeReady", at + ready_after}}});
  return made;
}

const ComparedMoment& moment(const Comparison& comparison, const std::string& id) {
  return *std::ranges::find(comparison.moments, id, &ComparedMoment::id);
}

TEST(RankSum, IsExactForSmallNumbers) {
  EXPECT_NEAR(rank_sum_p({1, 2, 3}, {4, 5, 6}), 0.1, 1e-12);
  EXPECT_NEAR(rank_sum_p({1, 2, 3, 4}, {5, 6, 7, 8}), 2.0 / 70, 1e-12);
  EXPECT_NEAR(rank_sum_p({1, 4}, {2, 3}), 1, 1e-12);
  EXPECT_NEAR(rank_sum_p({1, 1, 1}, {1, 1, 1}), 1, 1e-12) << "ties";
}

TEST(Compare, ClearDifferenceIsSeenAndTracedToWhereItBegan) {
  const auto comparison =
      compare({group("before", {5.0, 5.1, 5.2, 5.1, 5.0}, 6), group("after", {2.0, 2.1, 2.2, 2.05, 2.1}, 6)});
  const Change& kubelet = moment(comparison, "kubelet.started").changes[0];
  EXPECT_EQ(kubelet.judgement, Judgement::kFaster);
  EXPECT_NEAR(kubelet.by, -3.0, 1e-9);
  const Change& ready = moment(comparison, "node.ready").changes[0];
  EXPECT_NEAR(ready.own, 0, 1e-9) << "it is only earlier because kubelet started earlier";
  EXPECT_THAT(comparison.verdicts[0], HasSubstr("what moved most by itself: kubelet started -3.000s"));
}

TEST(Compare, WobbleIsNoise) {
  const auto comparison = compare({group("a", {5.0, 5.4, 4.9, 5.2, 5.1}, 6), group("b", {5.1, 5.3, 5.0, 4.8, 5.2}, 6)});
  EXPECT_EQ(moment(comparison, "node.ready").changes[0].judgement, Judgement::kNoise);
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
  EXPECT_THAT(parse_budget("node.raedy 3").error().what, HasSubstr("line 1: 'node.raedy' is no milestone"));
  EXPECT_THAT(parse_budget("\nnode.ready soon").error().what, HasSubstr("line 2: 'soon' is no number"));
  EXPECT_FALSE(parse_budget("# nothing").ok());
}

}  // namespace
}  // namespace sunup::timeline

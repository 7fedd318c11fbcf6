#include "engine/graph.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace sunup::engine {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;

Step step(std::string name, std::vector<std::string> needs = {}) {
  Step made;
  made.name = std::move(name);
  made.needs = std::move(needs);
  made.run = [](Context&) -> Task<Result<void>> { co_return Result<void>(); };
  return made;
}

std::string problem(std::vector<Step> steps, std::string milestone = "") {
  const auto graph = Graph::make(std::move(steps), std::move(milestone));
  return graph ? "" : graph.error().what;
}

TEST(Graph, OrdersByNeedsAndKeepsDeclarationOrderElsewhere) {
  std::vector<Step> steps = {step("c", {"b"}), step("b", {"a"}), step("x"), step("a")};
  const auto graph = Graph::make(std::move(steps), "");
  ASSERT_TRUE(graph);
  EXPECT_THAT(graph->order(), ElementsAre(2, 3, 1, 0));
}

TEST(Graph, NamesTheCircle) {
  EXPECT_EQ(problem({step("x", {"a"}), step("a", {"b"}), step("b", {"c"}), step("c", {"a"})}),
            "the steps form a cycle: 'a' waits for 'b' waits for 'c' waits for 'a'");
  EXPECT_THAT(problem({step("a", {"a"})}), HasSubstr("'a' waits for 'a'"));
}

TEST(Graph, NamesWhatNobodyProvidesAndSuggestsANeighbour) {
  EXPECT_EQ(problem({step("containerd.start"), step("kubelet", {"containerd.strat"})}),
            "step 'kubelet' needs 'containerd.strat', which no step provides (did you mean 'containerd.start'?)");
  EXPECT_THAT(problem({step("a")}, "kubelet.started"), HasSubstr("no step provides the milestone 'kubelet.started'"));
}

TEST(Graph, ErrorNamesTheStepsThatItIsAbout) {
  std::set<std::string> involved;
  EXPECT_FALSE(Graph::make({step("x", {"a"}), step("a", {"b"}), step("b", {"a"})}, "", &involved));
  EXPECT_THAT(involved, ElementsAre("a", "b"));  // "x" only waits for the cycle
  involved.clear();
  EXPECT_FALSE(Graph::make({step("x"), step("y", {"z"})}, "", &involved));
  EXPECT_THAT(involved, ElementsAre("y"));
}

TEST(Graph, AfterIsOnlyAnOrderIfSomebodyProvidesIt) {
  Step last = step("last");
  last.after = {"nobody", "first"};
  const auto graph = Graph::make({last, step("first")}, "");
  ASSERT_TRUE(graph);
  EXPECT_THAT(graph->order(), ElementsAre(1, 0));
}

TEST(Graph, TwoProvidersOrTwoNamesakesAreRefused) {
  Step a = step("a");
  Step b = step("b");
  a.provides = b.provides = {"x"};
  EXPECT_THAT(problem({a, b}), HasSubstr("'x' is provided by both 'a' and 'b'"));
  EXPECT_THAT(problem({step("a"), step("a")}), HasSubstr("two steps are called 'a'"));
}

TEST(Graph, UnorderedStepsMustNotTouchTheSameThing) {
  Step a = step("a");
  Step b = step("b");
  a.files = b.files = {{"/etc/x", 0644}};
  EXPECT_EQ(problem({a, b}), "steps 'a' and 'b' both change file /etc/x and are not ordered");
  Step between = step("between", {"a"});
  b.needs = {"between"};
  EXPECT_EQ(problem({a, b, between}), "");  // ordered through a third

  Step u = step("u");
  Step v = step("v");
  u.units = {"x.service"};
  v.units = {"x.service"};
  u.touches = v.touches = {"apt lock"};
  EXPECT_THAT(problem({u, v}), AllOf(HasSubstr("unit x.service"), HasSubstr("apt lock")));
}

TEST(Graph, DeferredStepsComeAfterTheMilestoneAndSoAfterWhatItNeeds) {
  Step a = step("a");
  Step goal = step("goal", {"a"});
  Step late = step("late");
  late.phase = Phase::kDeferred;
  a.files = late.files = {{"/etc/x", 0644}};
  EXPECT_EQ(problem({late, a, goal}, "goal"), "");
  EXPECT_THAT(problem({late, a, goal}, ""), HasSubstr("both change"));
}

TEST(Graph, NobodyWaitsForDeferredWork) {
  Step late = step("late");
  late.phase = Phase::kDeferred;
  EXPECT_EQ(problem({late, step("a", {"late"})}),
            "step 'a' waits for 'late', which is deferred: defer both or neither");
}

TEST(Graph, FatalStepMustNotNeedOneThatMayFail) {
  Step shaky = step("shaky");
  shaky.fatal = false;
  EXPECT_THAT(problem({shaky, step("a", {"shaky"})}), HasSubstr("step 'a' needs 'shaky', whose failure is not fatal"));
  Step a = step("a");
  a.after = {"shaky"};
  EXPECT_EQ(problem({shaky, a}), "");
}

TEST(Graph, RanksFollowFromTheMilestone) {
  Step late = step("late");
  late.phase = Phase::kDeferred;
  const auto graph = Graph::make({step("a"), step("goal", {"a"}), step("tidy", {"goal"}), late, step("other")}, "goal");
  ASSERT_TRUE(graph);
  EXPECT_EQ(graph->rank(0), Rank::kCritical);
  EXPECT_EQ(graph->rank(1), Rank::kCritical);
  EXPECT_EQ(graph->rank(2), Rank::kCompletion);
  EXPECT_EQ(graph->rank(3), Rank::kDeferred);
  EXPECT_EQ(graph->rank(4), Rank::kCompletion);
}

TEST(Graph, MostUrgentIsTheLongestWayToTheMilestone) {
  const auto graph = Graph::make(
      {step("tidy"), step("quick"), step("slow"), step("goal", {"quick", "slow"}), step("also quick")}, "goal");
  ASSERT_TRUE(graph);
  Profile profile;
  profile.record("slow", 500ms);
  profile.record("tidy", 1h);
  const auto place = graph->priorities(profile);
  EXPECT_LT(place[2], place[1]);  // slow before quick
  EXPECT_LT(place[1], place[0]);  // a step that the milestone needs comes before the longest one that it does not need
  EXPECT_LT(place[0], place[4]);
  std::vector<std::string> names;
  for (const size_t i : graph->critical_path(profile)) names.push_back(graph->steps()[i].name);
  EXPECT_THAT(names, ElementsAre("slow", "goal"));
}

TEST(Graph, TellsEveryProblemAtOnce) {
  Step empty;
  empty.name = "empty";
  const std::string text = problem({empty, step("a", {"x"}), step("b", {"y"})});
  EXPECT_THAT(text, AllOf(HasSubstr("no body"), HasSubstr("'x'"), HasSubstr("'y'")));
}

}  // namespace
}  // namespace sunup::engine

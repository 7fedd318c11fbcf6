#include "fleet/resolve/tags.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fleet/resolve/test_node.h"

namespace sunup::fleet {
namespace {

TEST(Tags, OfOneNameInTwoSpellingsOneIsLeftAndAWarningNamesBoth) {
  TestNode test;
  test.settings["additional-tags"] = "Team=a";
  test.node_class["spec"]["tags"] = {{"team", "b"}};
  const Resolution node = test.resolve();
  ASSERT_NE(node.kind->tags.find("team"), nullptr);
  EXPECT_EQ(*node.kind->tags.find("team"), "b");
  EXPECT_EQ(node.kind->tags.find("Team"), nullptr);
  EXPECT_THAT(describe(node.warnings, Severity::kWarning), ::testing::HasSubstr("'Team' and 'team' are the same name"));
}

TEST(Tags, NamesThatASlashMakesOneAreWarnedOf) {
  TestNode test;
  test.node_class["spec"]["tags"] = {{"a/b", "1"}, {"a_b", "2"}};
  const Resolution node = test.resolve();
  EXPECT_EQ(*node.kind->tags.find("a_b"), "2");
  EXPECT_THAT(describe(node.warnings, Severity::kWarning), ::testing::HasSubstr("'a/b' and 'a_b' are the same name"));
}

TEST(Tags, AFixedTagIsFixedInAnySpelling) {
  TestNode test;
  test.node_class["spec"]["tags"] = {{"Compute.AKS.billing", "q"}};
  const Resolution node = test.resolve();
  EXPECT_EQ(node.kind->tags.find("Compute.AKS.billing"), nullptr);
  EXPECT_EQ(*node.kind->tags.find("compute.aks.billing"), "linux");
  EXPECT_THAT(describe(node.warnings, Severity::kWarning), ::testing::HasSubstr("tag Compute.AKS.billing"));
}

TEST(Tags, TheSameNameOverwrittenByTheClassIsNoCollision) {
  TestNode test;
  test.settings["additional-tags"] = "team=a";
  test.node_class["spec"]["tags"] = {{"team", "b"}};
  EXPECT_EQ(describe(test.resolve().warnings, Severity::kWarning), "");
}

TEST(Tags, MoreThanAzureTakesAreRefused) {
  TestNode test;
  for (size_t i = 0; i < kMaxTags - 3; ++i) test.node_class["spec"]["tags"][fmt::format("k{}", i)] = "v";
  EXPECT_TRUE(test.try_resolve());  // three are fixed
  test.node_class["spec"]["tags"]["one-more"] = "v";
  const auto refused = test.try_resolve();
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().what, ::testing::HasSubstr("51 tags"));
}

}  // namespace
}  // namespace sunup::fleet

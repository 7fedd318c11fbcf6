#include "fleet/sources/label_conflicts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace sunup::fleet {
namespace {

using ::testing::HasSubstr;

TEST(LabelConflict, IsThatOfAClaimsRequirementWithItsPoolsLabel) {
  NodePool from;
  from.labels = {{"team", "web"}};
  NodeClaim claim;
  claim.requirements = {{"team", "In", {"db"}}};
  const auto refused = refuse_label_conflict(claim, &from);
  ASSERT_TRUE(refused);
  EXPECT_THAT(refused->what, HasSubstr("label team: web"));
  claim.labels = {{"team", "db"}};  // a label of the claim replaces that of the pool
  EXPECT_FALSE(refuse_label_conflict(claim, &from));
}

}  // namespace
}  // namespace sunup::fleet

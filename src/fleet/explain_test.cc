#include "fleet/explain.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fleet/test_node.h"

namespace sunup::fleet {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(Explain, ShowsWhoWonAndWhatItBeat) {
  TestNode test;
  test.node_class["spec"]["maxPods"] = 60;
  const auto rows = explain(test.resolve());
  const auto it =
      std::find_if(rows.begin(), rows.end(), [](const Explanation& row) { return row.name == "--max-pods"; });
  ASSERT_NE(it, rows.end());
  EXPECT_EQ(it->value, "60");
  EXPECT_EQ(it->source, "nodeclass");
  EXPECT_EQ(it->where, "spec.maxPods");
  ASSERT_EQ(it->beat.size(), 2u);
  EXPECT_EQ(it->beat[0].value, "110");
  EXPECT_EQ(it->beat[1].value, "250");
  EXPECT_EQ(it->beat[1].source, "computed");
}

TEST(Explain, NeverShowsTheToken) {
  const auto rows = explain(TestNode().resolve());
  EXPECT_THAT(explain_text(rows, 0), Not(HasSubstr("0123456789abcdef")));
  EXPECT_THAT(explain_json(rows).dump(), Not(HasSubstr("0123456789abcdef")));
}

}  // namespace
}  // namespace sunup::fleet

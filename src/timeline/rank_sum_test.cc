#include "timeline/rank_sum.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace sunup::timeline {
namespace {

TEST(RankSum, IsExactForSmallNumbers) {
  EXPECT_NEAR(rank_sum_p({1, 2, 3}, {4, 5, 6}), 0.1, 1e-12);
  EXPECT_NEAR(rank_sum_p({1, 2, 3, 4}, {5, 6, 7, 8}), 2.0 / 70, 1e-12);
  EXPECT_NEAR(rank_sum_p({1, 4}, {2, 3}), 1, 1e-12);
  EXPECT_NEAR(rank_sum_p({1, 1, 1}, {1, 1, 1}), 1, 1e-12) << "ties";
}

TEST(RankSum, IsTheSameWhicheverSideIsNamedFirst) {
  EXPECT_DOUBLE_EQ(rank_sum_p({1, 2}, {3, 4, 5, 6, 2.5, 9}), rank_sum_p({3, 4, 5, 6, 2.5, 9}, {1, 2}));
}

std::vector<double> every_second(size_t count, double first, size_t tied) {
  std::vector<double> values;
  for (size_t i = 0; i < count; ++i) values.push_back(first + 2 * static_cast<double>(i / tied));
  return values;
}

TEST(RankSum, NormalDistributionTakesOverWhereExactWouldNotEnd) {
  // Thirty values each use the exact test, thirty-one each do not: the results must be close.
  for (const double shift : {1.0, 9.0, 17.0, 25.0}) {
    const double exact = rank_sum_p(every_second(30, 0, 1), every_second(30, shift, 1));
    const double normal = rank_sum_p(every_second(31, 0, 1), every_second(31, shift, 1));
    EXPECT_NEAR(exact, normal, 0.02) << shift;
  }
  const double exact = rank_sum_p(every_second(30, 0, 5), every_second(30, 2, 5));
  const double normal = rank_sum_p(every_second(31, 0, 5), every_second(31, 2, 5));
  EXPECT_NEAR(exact, normal, 0.05) << "ties";
  EXPECT_EQ(rank_sum_p(std::vector<double>(100, 1), std::vector<double>(100, 1)), 1);
  EXPECT_LT(rank_sum_p(every_second(2000, 0, 1), every_second(2000, 1e6, 1)), 1e-100);
}

TEST(CorrectedForNumber, CountsHowManyWereAsked) {
  EXPECT_THAT(corrected_for_number({0.01}), testing::ElementsAre(0.01));
  const auto corrected = corrected_for_number({0.04, 0.01, 0.9, 0.03});
  EXPECT_NEAR(corrected[1], 0.04, 1e-12);
  EXPECT_NEAR(corrected[3], 0.04 * 4 / 3, 1e-12) << "not above that of the larger one";
  EXPECT_NEAR(corrected[0], 0.04 * 4 / 3, 1e-12);
  EXPECT_NEAR(corrected[2], 0.9, 1e-12);
}

}  // namespace
}  // namespace sunup::timeline

#include "timeline/clocks.h"

#include <gtest/gtest.h>

namespace sunup::timeline {
namespace {

constexpr Nanos kWall = 1'794'000'000 * kSecond;  // at boot

TEST(Clocks, EvenClockPlacesExactly) {
  const Clocks clocks({{1 * kSecond, kWall + 1 * kSecond}, {9 * kSecond, kWall + 9 * kSecond}});
  const auto placed = clocks.place(kWall + 4 * kSecond);
  ASSERT_TRUE(placed);
  EXPECT_EQ(placed->at, 4 * kSecond);
  EXPECT_FALSE(placed->approximate);
  EXPECT_TRUE(clocks.jumps().empty());
}

TEST(Clocks, ForwardJumpKeepsBothSides) {
  // Set forward by 100 s between 5 and 6 s.
  const Clocks clocks({{1 * kSecond, kWall + 1 * kSecond},
                       {5 * kSecond, kWall + 5 * kSecond},
                       {6 * kSecond, kWall + 106 * kSecond},
                       {9 * kSecond, kWall + 109 * kSecond}});
  EXPECT_EQ(clocks.place(kWall + 3 * kSecond)->at, 3 * kSecond);
  EXPECT_EQ(clocks.place(kWall + 108 * kSecond)->at, 8 * kSecond);
  ASSERT_EQ(clocks.jumps().size(), 1u);
  EXPECT_EQ(clocks.jumps()[0].by, 100 * kSecond);
  // A time that the clock never showed.
  EXPECT_TRUE(clocks.place(kWall + 50 * kSecond)->approximate);
}

TEST(Clocks, TimeShownTwiceIsApproximate) {
  // Set back by 3 s at 5 s: the wall shows 2 to 5 s twice.
  const Clocks clocks({{0, kWall},
                       {5 * kSecond, kWall + 5 * kSecond},
                       {5 * kSecond + 1, kWall + 2 * kSecond + 1},
                       {9 * kSecond, kWall + 6 * kSecond}});
  EXPECT_TRUE(clocks.place(kWall + 4 * kSecond)->approximate);
  EXPECT_FALSE(clocks.place(kWall + 1 * kSecond)->approximate);
  EXPECT_EQ(clocks.jumps()[0].by, -3 * kSecond);
}

TEST(Clocks, SlewIsNoJump) {
  std::vector<Anchor> anchors;
  for (Nanos t = 0; t < 300 * kSecond; t += kSecond) anchors.push_back({t, kWall + t + t / 2000});  // 500 ppm
  const Clocks clocks(anchors);
  for (const Clocks::Jump& jump : clocks.jumps()) EXPECT_LT(std::abs(jump.by), 50'000'000);
}

TEST(Clocks, WithoutAnchorsNothingIsPlaced) {
  EXPECT_FALSE(Clocks({}).place(kWall));
  EXPECT_FALSE(Clocks({}).known());
}

}  // namespace
}  // namespace sunup::timeline

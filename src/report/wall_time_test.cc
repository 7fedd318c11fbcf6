#include "report/wall_time.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <ctime>

namespace sunup::report {
namespace {

class WallTimeTest : public ::testing::Test {
 protected:
  static void zone(const char* name) {
    setenv("TZ", name, 1);  // NOLINT(concurrency-mt-unsafe): this test has one thread
    tzset();
  }
  void SetUp() override { zone("UTC"); }
  static constexpr WallTime kSome = 1'794'769'175'129'815'560;  // 2026-11-15 18:59:35.129815560 UTC
};

TEST_F(WallTimeTest, LogCutsTrailingZerosOfTheFraction) {
  EXPECT_EQ(log_time(kSome), "2026-11-15T18:59:35.12981556Z");
  EXPECT_EQ(log_time(kSome / 1'000'000'000 * 1'000'000'000), "2026-11-15T18:59:35Z");
  EXPECT_EQ(log_time(kSome / 10 * 10 + 1), "2026-11-15T18:59:35.129815561Z");
}

TEST_F(WallTimeTest, LogShowsTheOffsetOfTheMachinesZone) {
  zone("EST5");
  EXPECT_EQ(log_time(kSome), "2026-11-15T13:59:35.12981556-05:00");
  zone("IST-5:30");
  EXPECT_EQ(log_time(kSome), "2026-11-16T00:29:35.12981556+05:30");
}

TEST_F(WallTimeTest, EventCutsToMillisecondsAndDoesNotRound) {
  EXPECT_EQ(event_time(kSome), "2026-11-15 18:59:35.129");
  EXPECT_EQ(event_time(kSome + 184'439), "2026-11-15 18:59:35.129");
  EXPECT_EQ(event_time(kSome + 184'440), "2026-11-15 18:59:35.130");
}

}  // namespace
}  // namespace sunup::report

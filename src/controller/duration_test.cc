#include "controller/duration.h"

#include <gtest/gtest.h>

namespace sunup::controller {
namespace {

using namespace std::chrono_literals;

TEST(Duration, ReadsWhatPeopleWrite) {
  EXPECT_EQ(parse_duration("90s"), 90s);
  EXPECT_EQ(parse_duration("15m"), 15min);
  EXPECT_EQ(parse_duration("1h30m"), 90min);
  EXPECT_EQ(parse_duration("1.5s"), 1500ms);
  EXPECT_EQ(parse_duration("250ms"), 250ms);
  EXPECT_EQ(parse_duration("3us7ns"), 3007ns);
  EXPECT_EQ(parse_duration("0"), 0s);
  EXPECT_EQ(parse_duration("5"), 5s);
  EXPECT_EQ(parse_duration("0.5"), 500ms);
}

TEST(Duration, RefusesWhatCouldBeMisread) {
  for (const char* bad : {"", ".", "1h30", "s", "-1s", "1 s", "1s ", "5d", "1e3s", "nan", "inf", "infs", "99999999h",
                          "1..5s", "1.2.3", "1..5"})
    EXPECT_FALSE(parse_duration(bad)) << bad;
}

}  // namespace
}  // namespace sunup::controller

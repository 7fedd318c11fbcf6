#include "fleet/duration.h"

#include <gtest/gtest.h>

namespace sunup::fleet {
namespace {

TEST(Duration, ReadsWhatGoReads) {
  EXPECT_EQ(parse_duration("100ms"), 100'000'000);
  EXPECT_EQ(parse_duration("1m30s"), 90'000'000'000);
  EXPECT_EQ(parse_duration("1.5h"), 5'400'000'000'000);
  EXPECT_EQ(parse_duration("-2s"), -2'000'000'000);
  EXPECT_EQ(parse_duration("0"), 0);
  EXPECT_EQ(parse_duration("3µs"), 3'000);
}

TEST(Duration, RefusesEverythingElse) {
  for (const char* text : {"", "10", "s", "1 s", "1d", "1m30", ".s", "1..5s", "Never"})
    EXPECT_FALSE(parse_duration(text)) << text;
}

TEST(Duration, PrintsAsGoDoes) {
  EXPECT_EQ(format_duration(0), "0s");
  EXPECT_EQ(format_duration(90'000'000'000), "1m30s");
  EXPECT_EQ(format_duration(3'600'000'000'000), "1h0m0s");
  EXPECT_EQ(format_duration(100'000'000), "100ms");
  EXPECT_EQ(format_duration(1'500'000), "1.5ms");
}

}  // namespace
}  // namespace sunup::fleet

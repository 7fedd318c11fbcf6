#include "base/duration.h"

#include <gtest/gtest.h>

#include <cstdint>

namespace sunup {
namespace {

using namespace std::chrono_literals;

TEST(GoDuration, ReadsWhatGoReads) {
  EXPECT_EQ(parse_go_duration("100ms"), 100ms);
  EXPECT_EQ(parse_go_duration("4h0m0s"), 4h);
  EXPECT_EQ(parse_go_duration("1m30.5s"), 90'500ms);
  EXPECT_EQ(parse_go_duration("1.5h"), 90min);
  EXPECT_EQ(parse_go_duration("-2s"), -2s);
  EXPECT_EQ(parse_go_duration("+1s"), 1s);
  EXPECT_EQ(parse_go_duration(".5s"), 500ms);
  EXPECT_EQ(parse_go_duration("1.s"), 1s);
  EXPECT_EQ(parse_go_duration("0"), 0s);
  EXPECT_EQ(parse_go_duration("3us"), 3us);
  EXPECT_EQ(parse_go_duration("3\u00b5s"), 3us) << "the micro sign";
  EXPECT_EQ(parse_go_duration("3\u03bcs"), 3us) << "the Greek letter";
}

// A fraction that is not a sum of powers of two must not be one nanosecond short.
TEST(GoDuration, KeepsFractionsToTheNanosecond) {
  EXPECT_EQ(parse_go_duration("0.3s"), 300ms);
  EXPECT_EQ(parse_go_duration("0.1s"), 100ms);
  EXPECT_EQ(parse_go_duration("1.1s"), 1'100ms);
  EXPECT_EQ(parse_go_duration("0.000000001s"), 1ns);
  EXPECT_EQ(parse_go_duration("0.9ns"), 0ns) << "less than a nanosecond is dropped";
  EXPECT_EQ(parse_go_duration("0.3333333333333333333h"), 20min);
  EXPECT_EQ(parse_go_duration("0.100000000000000000000h"), 6min) << "more digits than 64 bits hold";
}

TEST(GoDuration, EndsWhere64BitsOfNanosecondsEnd) {
  EXPECT_EQ(parse_go_duration("9223372036854775807ns"), std::chrono::nanoseconds(INT64_MAX));
  EXPECT_EQ(parse_go_duration("-9223372036854775808ns"), std::chrono::nanoseconds(INT64_MIN));
  EXPECT_EQ(parse_go_duration("2562047h47m16.854775807s"), std::chrono::nanoseconds(INT64_MAX));
  for (const char* bad : {"9223372036854775808ns", "-9223372036854775809ns", "9223372036854775.808us",
                          "18446744073709551616ns", "3000000h", "2562047h48m", "99999999999999999999999h"})
    EXPECT_FALSE(parse_go_duration(bad)) << bad;
}

TEST(GoDuration, RefusesEverythingElse) {
  for (const char* bad : {"", "10", "s", "1 s", "1d", "10S", "1m30", ".s", "-", "+", "-.s", "1..5s", "1.2.3s", "1h 30m",
                          "1h-30m", "Never", "1e3s", "3\xC2s"})
    EXPECT_FALSE(parse_go_duration(bad)) << bad;
}

TEST(GoDuration, IsPrintedAsGoDoes) {
  EXPECT_EQ(format_go_duration(0s), "0s");
  EXPECT_EQ(format_go_duration(90s), "1m30s");
  EXPECT_EQ(format_go_duration(1h), "1h0m0s");
  EXPECT_EQ(format_go_duration(100ms), "100ms");
  EXPECT_EQ(format_go_duration(1500us), "1.5ms");
  EXPECT_EQ(format_go_duration(-1500ms), "-1.5s");
  EXPECT_EQ(format_go_duration(12us), "12\u00b5s");
  EXPECT_EQ(format_go_duration(1h + 130ns), "1h0m0.00000013s") << "never with an exponent";
  EXPECT_EQ(format_go_duration(1h + 10s), "1h0m10s");
  EXPECT_EQ(format_go_duration(10ms + 1ns), "10.000001ms");
  EXPECT_EQ(format_go_duration(std::chrono::nanoseconds(INT64_MIN)), "-2562047h47m16.854775808s");
}

TEST(FlagDuration, ReadsWhatPeopleWrite) {
  EXPECT_EQ(parse_flag_duration("90s"), 90s);
  EXPECT_EQ(parse_flag_duration("15m"), 15min);
  EXPECT_EQ(parse_flag_duration("1h30m"), 90min);
  EXPECT_EQ(parse_flag_duration("1.5s"), 1500ms);
  EXPECT_EQ(parse_flag_duration("250ms"), 250ms);
  EXPECT_EQ(parse_flag_duration("3us7ns"), 3007ns);
  EXPECT_EQ(parse_flag_duration("0"), 0s);
  EXPECT_EQ(parse_flag_duration("5"), 5s);
  EXPECT_EQ(parse_flag_duration("0.5"), 500ms);
}

TEST(FlagDuration, RefusesWhatCouldBeMisread) {
  for (const char* bad : {"", ".", "1h30", "s", "-1s", "+1s", "1 s", "1s ", "5d", "1e3s", "nan", "inf", "infs",
                          "99999999h", "2550000h", "1..5s", "1.2.3", "1..5"})
    EXPECT_FALSE(parse_flag_duration(bad)) << bad;
}

}  // namespace
}  // namespace sunup

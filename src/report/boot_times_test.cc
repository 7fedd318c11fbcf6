#include "report/boot_times.h"

#include <gtest/gtest.h>

namespace sunup::report {
namespace {

TEST(BootTimes, ReadsEveryNotationThatNodesWrite) {
  constexpr double kMoment = 1731432213;  // 2024-11-12 17:23:33 UTC
  EXPECT_EQ(parse_boot_time("Tue 2024-11-12 17:23:33 UTC"), kMoment);
  EXPECT_EQ(parse_boot_time("Tue Nov 12 17:23:33 UTC 2024"), kMoment);
  EXPECT_EQ(parse_boot_time("2024-11-12T17:23:33Z"), kMoment);
  EXPECT_EQ(parse_boot_time("2024-11-12T19:23:33+02:00"), kMoment);
  EXPECT_EQ(parse_boot_time("2024-11-12 17:23:33.250"), kMoment + 0.25);
  EXPECT_EQ(parse_boot_time("2024-11-12 17:23:33 UTC"), kMoment);
}

TEST(BootTimes, ReadsASpacePaddedDay) {
  EXPECT_EQ(parse_boot_time("Sun Dec  1 00:00:00 UTC 2024"), parse_boot_time("2024-12-01T00:00:00Z"));
}

TEST(BootTimes, RefusesWhatItCannotPlace) {
  for (const char* text :
       {"", "n/a", "Tue 2024-11-12 17:23:33 CET", "Tue 2024-13-12 17:23:33 UTC", "Tue Foo 12 17:23:33 UTC 2024",
        "2024-11-12T17:23:33", "2024-11-12 25:00:00", "2024-11-12 17:23:33."}) {
    EXPECT_EQ(parse_boot_time(text), std::nullopt) << text;
  }
}

TEST(BootTimes, SortsByTimeAndKeepsUnreadableOnesLast) {
  std::vector<BootMoment> moments = {
      {"A", "", "n/a", std::nullopt}, {"B", "", "", 5.0}, {"C", "", "", 2.0}, {"D", "", "x", std::nullopt}};
  sort_by_time(moments);
  std::string order;
  for (const BootMoment& moment : moments) order += moment.key;
  EXPECT_EQ(order, "CBAD");
}

}  // namespace
}  // namespace sunup::report

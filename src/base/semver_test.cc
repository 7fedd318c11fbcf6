#include "base/semver.h"

#include <gtest/gtest.h>

namespace sunup {
namespace {

TEST(Version, AcceptsLenientForms) {
  for (const char* good : {"1.34", "v1.34.0", "1.34.0+x", "1.34.1-rc.1", "2", "01.034.0", "1.35.0-0"})
    EXPECT_TRUE(Version::parse(good)) << good;
}

TEST(Version, RefusesEverythingElse) {
  for (const char* bad : {"", "v", "V1.2.3", "1.2.3.4", "1..2", "1.2.", " 1.2", "1.2\n", "x", "1.2.3-", "1.2.3-01",
                          "1.2.3+", "1.2.3-a..b", "18446744073709551616", "-1", "+1"})
    EXPECT_FALSE(Version::parse(bad)) << bad;
}

TEST(Version, GateCountsAPrereleaseAsBefore) {
  for (const char* yes : {"1.34", "v1.34.0", "1.34.0+x", "1.34.1-rc.1", "2.0.0-alpha"})
    EXPECT_TRUE(version_at_least(yes, 1, 34, 0)) << yes;
  for (const char* no : {"1.34.0-alpha.1", "1.33.99", "1.34.0.0", "x", ""})
    EXPECT_FALSE(version_at_least(no, 1, 34, 0)) << no;
}

}  // namespace
}  // namespace sunup

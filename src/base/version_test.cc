#include "base/version.h"

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

TEST(PackageVersion, ComparesNumbersAndIgnoresSuffixes) {
  EXPECT_TRUE(package_at_least("1.34.0", 1, 34));
  EXPECT_TRUE(package_at_least("v1.34", 1, 34));
  EXPECT_TRUE(package_at_least("1.34.10", 1, 34, 9));
  EXPECT_TRUE(package_at_least("1.34.0+azure", 1, 34));
  EXPECT_TRUE(package_at_least("1.34.0~rc1", 1, 34));
  EXPECT_TRUE(package_at_least("1.34.0-alpha.1", 1, 34)) << "unlike a semantic version";
  EXPECT_TRUE(package_at_least("1.34.0.7", 1, 34));
  EXPECT_FALSE(package_at_least("1.33.99", 1, 34));
  EXPECT_FALSE(package_at_least("1.9.9", 1, 10));
}

TEST(PackageVersion, WhatIsNoVersionIsOlderThanAll) {
  for (const char* text : {"", "x", "1.x", "99999999999.0.0"}) EXPECT_FALSE(package_at_least(text, 1, 0)) << text;
}

TEST(NaturalOrder, ReadsRunsOfDigitsAsNumbers) {
  EXPECT_TRUE(natural_order("kubelet_1.34.9-1", "kubelet_1.34.10-1") < 0);
  EXPECT_TRUE(natural_order("a10", "a9") > 0);
  EXPECT_TRUE(natural_order("a01", "a1") == 0);
  EXPECT_TRUE(natural_order("1.34.1", "1.34.1-2") < 0);
}

}  // namespace
}  // namespace sunup

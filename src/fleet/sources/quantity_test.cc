#include "fleet/sources/quantity.h"

#include <gtest/gtest.h>

namespace sunup::fleet {
namespace {

TEST(Quantity, ReadsWhatKubernetesReads) {
  EXPECT_EQ(parse_quantity("100m")->milli, 100);
  EXPECT_EQ(parse_quantity("2")->milli, 2000);
  EXPECT_EQ(parse_quantity("1.5Gi")->units(), 1610612736);
  EXPECT_EQ(parse_quantity("50Mi")->units(), 52428800);
  EXPECT_EQ(parse_quantity("1K")->units(), 1000);
  EXPECT_EQ(parse_quantity("-1")->milli, -1000);
  for (const char* text : {"", "Mi", "1x", "1 Gi", "1GiB", "--1"}) EXPECT_FALSE(parse_quantity(text)) << text;
}

// None of these has an exact double: 1.1 is slightly more, and rounding up would give 1101.
TEST(Quantity, DecimalsAreExact) {
  EXPECT_EQ(parse_quantity("1.1")->milli, 1100);
  EXPECT_EQ(parse_quantity("0.1Gi")->milli, 107374182400);
  EXPECT_EQ(parse_quantity("0.7T")->milli, 700000000000000);
  EXPECT_EQ(parse_quantity("4.35")->milli, 4350);
  EXPECT_EQ(parse_quantity(".5")->milli, 500);
  EXPECT_EQ(parse_quantity("1.")->milli, 1000);
  EXPECT_EQ(parse_quantity("0.0001")->milli, 1);
  EXPECT_EQ(parse_quantity("1.00000000000000000000000001")->milli, 1001);
  EXPECT_EQ(parse_quantity("-0.0001")->milli, 0);
  EXPECT_EQ(parse_quantity("+2")->milli, 2000);
  for (const char* text : {"+-1", ".", "-", "1e3", "inf", "nan", "1..2", "0x1"})
    EXPECT_FALSE(parse_quantity(text)) << text;
}

TEST(Quantity, SaturatesInsteadOfOverflowing) {
  EXPECT_EQ(parse_quantity("16E")->milli, INT64_MAX);
  EXPECT_EQ(parse_quantity("-16E")->milli, -INT64_MAX);
  EXPECT_EQ(parse_quantity("0.99999999999999999Ei")->milli, INT64_MAX);
  EXPECT_EQ(parse_quantity("99999999999999999999999999999999999999999999m")->milli, INT64_MAX);
  EXPECT_EQ(parse_quantity("9223372036854775807m")->milli, INT64_MAX);
  EXPECT_EQ(parse_quantity("9223372036854775.8065")->milli, INT64_MAX);
}

TEST(Quantity, PrintsTheCanonicalSpelling) {
  EXPECT_EQ(format_mebibytes(1024), "1Gi");
  EXPECT_EQ(format_mebibytes(1843), "1843Mi");
  EXPECT_EQ(format_mebibytes(5 * 1024), "5Gi");
  EXPECT_EQ(format_mebibytes(0), "0");
  EXPECT_EQ(format_millicores(100), "100m");
  EXPECT_EQ(format_millicores(2000), "2");
}

}  // namespace
}  // namespace sunup::fleet

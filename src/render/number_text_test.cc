#include "render/number_text.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <cstdlib>
#include <limits>

namespace sunup::render {
namespace {

TEST(NumberText, OfDoublesIsPlainBetweenOneTenThousandthAndAMillion) {
  EXPECT_EQ(number_text(10.0), "10");
  EXPECT_EQ(number_text(0.5), "0.5");
  EXPECT_EQ(number_text(123456.7), "123456.7");
  EXPECT_EQ(number_text(100000.0), "100000");
  EXPECT_EQ(number_text(0.0001), "0.0001");
  EXPECT_EQ(number_text(std::nextafter(1e6, 0)), "999999.9999999999");
  EXPECT_EQ(number_text(0.1 + 0.2), "0.30000000000000004");
}

TEST(NumberText, OfDoublesHasAnExponentOutsideThatRange) {
  EXPECT_EQ(number_text(1e6), "1e+06");
  EXPECT_EQ(number_text(12345678.9), "1.23456789e+07");
  EXPECT_EQ(number_text(-1e-5), "-1e-05");
  EXPECT_EQ(number_text(1e100), "1e+100");
  EXPECT_EQ(number_text(std::nextafter(1e-4, 0)), "9.999999999999999e-05");
  EXPECT_EQ(number_text(std::numeric_limits<double>::denorm_min()), "5e-324");
}

TEST(NumberText, NamesWhatIsNoFiniteNumber) {
  EXPECT_EQ(number_text(0.0), "0");
  EXPECT_EQ(number_text(-0.0), "-0");
  EXPECT_EQ(number_text(std::nan("")), "NaN");
  EXPECT_EQ(number_text(std::numeric_limits<double>::infinity()), "+Inf");
  EXPECT_EQ(number_text(-std::numeric_limits<double>::infinity()), "-Inf");
}

RC_GTEST_PROP(NumberText, OfAnyDoubleReadsBackAsTheSameDouble, (double value)) {
  RC_ASSERT(std::strtod(number_text(value).c_str(), nullptr) == value);
}

TEST(NumberText, OfIntegersIsDecimal) {
  EXPECT_EQ(number_text(int64_t{-2147483648}), "-2147483648");
  EXPECT_EQ(number_text(int64_t{0}), "0");
}

}  // namespace
}  // namespace sunup::render

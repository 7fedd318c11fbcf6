#include "contract/json_number.h"

#include <gtest/gtest.h>

#include <cmath>

namespace sunup::contract {
namespace {

TEST(JsonNumber, IsAnIntegerInWhateverFormItIsWritten) {
  const std::pair<const char*, int32_t> kCases[] = {{"0", 0},
                                                    {"-0", 0},
                                                    {"100", 100},
                                                    {"1e2", 100},
                                                    {"1E+2", 100},
                                                    {"1.0", 1},
                                                    {"1.50e1", 15},
                                                    {"100e-2", 1},
                                                    {"0.0001e4", 1},
                                                    {"2147483647", 2147483647},
                                                    {"-2147483648", -2147483647 - 1},
                                                    {"2147483647.000", 2147483647},
                                                    {"214748364.7e1", 2147483647},
                                                    {"0e999999999999", 0},
                                                    {"0.0e-999999999999", 0}};
  for (const auto& [text, value] : kCases) EXPECT_EQ(to_int32(text), value) << text;
}

TEST(JsonNumber, IsNoIntegerWithAFractionOrOutOfRange) {
  for (const char* bad : {"1.5", "1e-1", "0.1", "2147483648", "-2147483649", "1e10", "99999999999999999999999", "1e400",
                          "1e-400", "21474836470e-2", "1e99999999999999999999"})
    EXPECT_EQ(to_int32(bad), std::nullopt) << bad;
}

TEST(JsonNumber, IsADoubleUnlessTooLarge) {
  EXPECT_EQ(to_double("0.1"), 0.1);
  EXPECT_EQ(to_double("1e308"), 1e308);
  EXPECT_EQ(to_double("1e-400"), 0.0);
  EXPECT_EQ(to_double("5e-324"), 5e-324);
  EXPECT_TRUE(std::signbit(to_double("-0").value()));
  EXPECT_EQ(to_double("1e400"), std::nullopt);
  EXPECT_EQ(to_double("-1e400"), std::nullopt);
}

}  // namespace
}  // namespace sunup::contract

#include "base/json_nesting.h"

#include <gtest/gtest.h>

#include <string>

namespace sunup {
namespace {

std::string nested(int levels) {
  return std::string(levels, '[') + std::string(levels, ']');
}

TEST(JsonNesting, IsCountedOutsideOfStrings) {
  EXPECT_FALSE(nested_too_deeply(nested(kMaxNesting)));
  EXPECT_TRUE(nested_too_deeply(nested(kMaxNesting + 1)));
  EXPECT_FALSE(nested_too_deeply("[\"\\\"" + std::string(kMaxNesting + 1, '[') + "\"]"));
  std::string side_by_side = "[";
  for (int i = 0; i < kMaxNesting; ++i) side_by_side += "{},";
  EXPECT_FALSE(nested_too_deeply(side_by_side + "{}]"));
}

}  // namespace
}  // namespace sunup

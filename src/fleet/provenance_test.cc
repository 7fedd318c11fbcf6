#include "fleet/provenance.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

namespace sunup::fleet {
namespace {

TEST(Value, TheHighestSourceThatOfferedWinsInAnyOrder) {
  EXPECT_TRUE(rc::check([](const std::vector<std::pair<uint8_t, int>>& offers) {
    Value<int> value;
    int best_rank = -1;
    int expected = 0;
    for (const auto& [raw, offered] : offers) {
      const int rank = raw % 9;
      value.offer(static_cast<Source>(rank), "", offered);
      if (rank >= best_rank) {
        best_rank = rank;
        expected = offered;
      }
    }
    RC_ASSERT(value.set() == !offers.empty());
    if (offers.empty()) return;
    RC_ASSERT(*value == expected);
    RC_ASSERT(static_cast<int>(value.origin().source) == best_rank);
    RC_ASSERT(value.beaten().size() == offers.size() - 1);
  }));
}

}  // namespace
}  // namespace sunup::fleet

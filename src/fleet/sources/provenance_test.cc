#include "fleet/sources/provenance.h"

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

// For any operations: a map that extends another one has the same content as a map to which all operations were
// applied.
TEST(ValueMap, ThatGoesOnFromAnotherIsTheSameAsOneThatIsWhole) {
  EXPECT_TRUE(rc::check([] {
    ValueMap whole;
    auto base = std::make_shared<ValueMap>();
    const auto change = [&whole](ValueMap& other) {
      const std::string key = *rc::gen::element<std::string>("a", "b", "c", "d");
      if (*rc::gen::inRange(0, 3) == 0) {
        whole.erase(key);
        other.erase(key);
        return;
      }
      const Source source = *rc::gen::element(Source::kComputed, Source::kSettings, Source::kNodeClaim);
      const std::string value = *rc::gen::element<std::string>("1", "2", "3");
      whole.offer(key, source, "x", value);
      other.offer(key, source, "x", value);
    };
    for (int left = *rc::gen::inRange(0, 6); left > 0; --left) change(*base);
    const std::string before = base->joined(',');
    ValueMap layered(base);
    for (int left = *rc::gen::inRange(0, 6); left > 0; --left) change(layered);
    RC_ASSERT(layered.joined(',') == whole.joined(','));
    RC_ASSERT(layered.size() == whole.size());
    for (const char* key : {"a", "b", "c", "d"}) {
      const Value<std::string>* one = layered.value(key);
      const Value<std::string>* other = whole.value(key);
      RC_ASSERT((one == nullptr) == (other == nullptr));
      if (one == nullptr) continue;
      RC_ASSERT(**one == **other);
      RC_ASSERT(one->beaten().size() == other->beaten().size());
    }
    RC_ASSERT(base->joined(',') == before);
  }));
}

}  // namespace
}  // namespace sunup::fleet

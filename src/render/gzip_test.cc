#include "render/gzip.h"

#include <gtest/gtest.h>

namespace sunup::render {
namespace {

TEST(Gzip, UnpacksSeveralMembersAsOneFile) {
  EXPECT_EQ(*gunzip(gzip("one ") + gzip("two"), 7), "one two");
}

TEST(Gzip, RefusesWhatIsDamagedOrTooLarge) {
  const std::string packed = gzip("a text of some length");
  EXPECT_FALSE(gunzip("plain", 100));
  EXPECT_FALSE(gunzip(packed.substr(0, packed.size() - 9), 100));
  EXPECT_FALSE(gunzip(gzip("one") + packed.substr(0, 12), 100));
  EXPECT_FALSE(gunzip(packed, 20));
  EXPECT_FALSE(gunzip(gzip("one ") + gzip("two"), 6));
  EXPECT_TRUE(gunzip(packed, 21));
}

}  // namespace
}  // namespace sunup::render

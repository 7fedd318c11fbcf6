#include "contract/quoted_excerpt.h"

#include <gtest/gtest.h>

namespace sunup::contract {
namespace {

TEST(QuotedExcerpt, IsOneLineOfAtMostSoManyCharacters) {
  EXPECT_EQ(quoted_excerpt("a\"b\\c\n\x7f\xff"), R"("a\"b\\c\x0a\x7f\xff")");
  EXPECT_EQ(quoted_excerpt("\u00e4\u00f6\u00fc", 2), "\"\u00e4\u00f6...\"");
}

TEST(QuotedExcerpt, ShowsNoPartOfAUrlsCredentials) {
  const std::string password(80, 'p');
  EXPECT_EQ(quoted_excerpt("https://user:" + password + "@reg.example/name"),
            "\"https://user:(secret)@reg.example/name\"");
}

}  // namespace
}  // namespace sunup::contract

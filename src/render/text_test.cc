#include "render/text.h"

#include <gmock/gmock.h>

namespace sunup::render {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(WhiteSpace, IsRemovedAnywhereAndAlsoWhenItIsNotAscii) {
  EXPECT_EQ(without_white_space(" China\tEast\n2 "), "ChinaEast2");
  EXPECT_EQ(without_white_space("a\xC2\xA0"
                                "b\xE2\x80\x83"
                                "c\xE3\x80\x80"
                                "d\xE1\x9A\x80"
                                "e\xC2\x85"
                                "f\xE2\x81\x9F"
                                "g\xE2\x80\xAFh\xE2\x80\xA8i\xE2\x80\xA9"),
            "abcdefghi");
}

TEST(WhiteSpace, IsNotWhatOnlyLooksLikeIt) {
  const std::string zero_width_space = "\xE2\x80\x8B", byte_order_mark = "\xEF\xBB\xBF", unit_separator = "\x1F";
  for (const std::string& text : {zero_width_space, byte_order_mark, unit_separator})
    EXPECT_EQ(without_white_space(text), text);
}

TEST(WhiteSpace, IsTrimmedAtBothEndsOnly) {
  EXPECT_EQ(trimmed("\xE2\x80\x83 a b\xC2\xA0\r\n"), "a b");
  EXPECT_EQ(trimmed("\xE3\x80\x80\xC2\x85"), "");
  EXPECT_EQ(trimmed(""), "");
  // U+0160 ends in the byte A0, which alone is not white space.
  EXPECT_EQ(trimmed("\xC5\xA0"), "\xC5\xA0");
}

TEST(Words, AreSeparatedByRunsOfWhiteSpace) {
  EXPECT_THAT(words("containerd  containerd.io\t1.7.22\n"), ElementsAre("containerd", "containerd.io", "1.7.22"));
  EXPECT_THAT(words(" \n"), IsEmpty());
}

TEST(LowerCase, TouchesAsciiAndTheTwoCodePointsThatBecomeAscii) {
  EXPECT_EQ(lower_cased("Standard_ND96\xC4\xB0s \xE2\x84\xAA \xC3\x84"), "standard_nd96is k \xC3\x84");
  EXPECT_EQ(lower_cased("\xC5\xBF"), "\xC5\xBF") << "the long s is lower case already";
}

TEST(EqualFold, KnowsTheOtherLettersThatFoldToAscii) {
  EXPECT_TRUE(equal_fold("aksCUSTOM", "akscustom"));
  EXPECT_TRUE(
      equal_fold("a\xE2\x84\xAA\xC5\xBF"
                 "custom",
                 "akscustom"));
  EXPECT_FALSE(equal_fold("akscustom ", "akscustom"));
  EXPECT_FALSE(equal_fold("akscusto", "akscustom"));
  EXPECT_FALSE(equal_fold("\xC4\xB0", "i")) << "lower-cases to i, but does not fold to it";
}

TEST(Newlines, AreTheOnlyThingDropped) {
  EXPECT_EQ(without_newlines("a\r\nb\n\tc \v"), "ab\tc \v");
}

}  // namespace
}  // namespace sunup::render

#include "base/text.h"

#include <gmock/gmock.h>

namespace sunup {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(UnicodeWhiteSpace, IsRemovedAnywhereAndAlsoWhenItIsNotAscii) {
  EXPECT_EQ(unicode::without_white_space(" China\tEast\n2 "), "ChinaEast2");
  EXPECT_EQ(unicode::without_white_space("a\xC2\xA0"
                                         "b\xE2\x80\x83"
                                         "c\xE3\x80\x80"
                                         "d\xE1\x9A\x80"
                                         "e\xC2\x85"
                                         "f\xE2\x81\x9F"
                                         "g\xE2\x80\xAFh\xE2\x80\xA8i\xE2\x80\xA9"),
            "abcdefghi");
}

TEST(UnicodeWhiteSpace, IsNotWhatOnlyLooksLikeIt) {
  const std::string zero_width_space = "\xE2\x80\x8B", byte_order_mark = "\xEF\xBB\xBF", unit_separator = "\x1F";
  for (const std::string& text : {zero_width_space, byte_order_mark, unit_separator})
    EXPECT_EQ(unicode::without_white_space(text), text);
}

TEST(UnicodeWhiteSpace, IsTrimmedAtBothEndsOnly) {
  EXPECT_EQ(unicode::trimmed("\xE2\x80\x83 a b\xC2\xA0\r\n"), "a b");
  EXPECT_EQ(unicode::trimmed("\xE3\x80\x80\xC2\x85"), "");
  EXPECT_EQ(unicode::trimmed(""), "");
  // U+0160 ends in the byte A0, which alone is not white space.
  EXPECT_EQ(unicode::trimmed("\xC5\xA0"), "\xC5\xA0");
}

TEST(UnicodeWords, AreSeparatedByRunsOfWhiteSpace) {
  EXPECT_THAT(unicode::words("containerd  containerd.io\t1.7.22\n"),
              ElementsAre("containerd", "containerd.io", "1.7.22"));
  EXPECT_THAT(unicode::words(" \n"), IsEmpty());
}

TEST(UnicodeLowerCase, TouchesAsciiAndTheTwoCodePointsThatBecomeAscii) {
  EXPECT_EQ(unicode::lowered("Standard_ND96\xC4\xB0s \xE2\x84\xAA \xC3\x84"), "standard_nd96is k \xC3\x84");
  EXPECT_EQ(unicode::lowered("\xC5\xBF"), "\xC5\xBF") << "the long s is lower case already";
}

TEST(EqualFold, KnowsTheOtherLettersThatFoldToAscii) {
  EXPECT_TRUE(unicode::equal_fold("aksCUSTOM", "akscustom"));
  EXPECT_TRUE(
      unicode::equal_fold("a\xE2\x84\xAA\xC5\xBF"
                          "custom",
                          "akscustom"));
  EXPECT_FALSE(unicode::equal_fold("akscustom ", "akscustom"));
  EXPECT_FALSE(unicode::equal_fold("akscusto", "akscustom"));
  EXPECT_FALSE(unicode::equal_fold("\xC4\xB0", "i")) << "lower-cases to i, but does not fold to it";
}

TEST(UnicodeLength, CountsCodePoints) {
  EXPECT_EQ(unicode::length("a\u00e9\U0001F600"), 3u);
  EXPECT_EQ(unicode::length(""), 0u);
}

TEST(Newlines, AreTheOnlyThingDropped) {
  EXPECT_EQ(without_newlines("a\r\nb\n\tc \v"), "ab\tc \v");
}

TEST(Characters, AreThoseOfAscii) {
  for (const char c : {'\xC4', '\xE9', '\xB2', '\xFF'}) {
    EXPECT_FALSE(is_alphanumeric(c));
    EXPECT_EQ(to_lower(c), c);
    EXPECT_EQ(to_upper(c), c);
    EXPECT_EQ(hex_digit(c), -1);
  }
  EXPECT_EQ(hex_digit('f'), 15);
  EXPECT_EQ(hex_digit('A'), 10);
  EXPECT_EQ(hex_digit('g'), -1);
  EXPECT_EQ(hex_digit('@'), -1);
  EXPECT_EQ(lowered("[AZ]@`\xC4"), "[az]@`\xC4");
  EXPECT_EQ(uppered("{az}@`\xE4"), "{AZ}@`\xE4");
}

TEST(EqualIgnoringCase, ComparesTheWholeTexts) {
  EXPECT_TRUE(equal_ignoring_case("aBc", "AbC"));
  EXPECT_FALSE(equal_ignoring_case("abc", "ab"));
  EXPECT_FALSE(equal_ignoring_case("@", "`")) << "they differ in the bit that letters of two cases differ in";
}

TEST(Trimmed, TakesAsciiWhiteSpaceOffBothEnds) {
  EXPECT_EQ(trimmed(" \t\r\n\v\fa b\n"), "a b");
  EXPECT_EQ(trimmed("\xC2\xA0"), "\xC2\xA0");
  EXPECT_EQ(trimmed(" \n"), "");
  EXPECT_TRUE(is_blank(" \n"));
  EXPECT_TRUE(is_blank(""));
  EXPECT_FALSE(is_blank(" a"));
}

TEST(Identifier, IsWhatAShellVariableMayBeCalled) {
  for (const char* good : {"A", "_", "a_1"}) EXPECT_TRUE(is_identifier(good)) << good;
  for (const char* bad : {"", "1A", "A-B", "A B", "\u00c4"}) EXPECT_FALSE(is_identifier(bad)) << bad;
}

TEST(Split, HasOnePartMoreThanSeparators) {
  EXPECT_THAT(split("a,,b,", ','), ElementsAre("a", "", "b", ""));
  EXPECT_THAT(split("", ','), ElementsAre(""));
  EXPECT_EQ(joined(split("a,,b,", ','), ","), "a,,b,");
}

TEST(Words, AreSeparatedByRunsOfWhiteSpace) {
  EXPECT_THAT(words("  a\t\tb\n"), ElementsAre("a", "b"));
  EXPECT_THAT(words(" \n"), IsEmpty());
}

TEST(TakeUntil, LeavesWhatFollowsTheEnd) {
  std::string_view text = "a\n\nb";
  EXPECT_EQ(take_until(text, '\n'), "a");
  EXPECT_EQ(take_until(text, '\n'), "");
  EXPECT_EQ(text, "b");
  EXPECT_EQ(take_until(text, '\n'), "b");
  EXPECT_EQ(text, "");
}

TEST(AsInteger, TakesTheWholeTextOrNothing) {
  EXPECT_EQ(as_number<int64_t>("-12"), -12);
  for (const char* bad : {"", "+1", " 1", "1 ", "1.0", "a", "0x1", "9223372036854775808"})
    EXPECT_FALSE(as_number<int64_t>(bad)) << bad;
}

}  // namespace
}  // namespace sunup

#include "base/utf8.h"

#include <gtest/gtest.h>

namespace sunup {
namespace {

TEST(Utf8, CountsUpToTheFirstByteThatIsNot) {
  EXPECT_EQ(utf8_length(""), 0U);
  EXPECT_EQ(utf8_length("a\u00e9"), 3U);
  EXPECT_EQ(utf8_length("ab\xC3"), 2U);
  EXPECT_EQ(utf8_length("\xFFx"), 0U);
}

TEST(Utf8, ReadsBackWhatItWrote) {
  for (uint32_t code = 0; code <= 0x10FFFF; code += code < 0x3000 ? 1 : 101) {
    if (code >= 0xD800 && code <= 0xDFFF) continue;
    std::string text;
    append_utf8(text, code);
    const Rune rune = first_rune(text + "x");
    ASSERT_EQ(rune.code, code);
    ASSERT_EQ(rune.size, text.size());
  }
}

TEST(Utf8, TakesWhatIsNoneForOneInvalidByte) {
  for (const std::string_view text :
       {"\x80", "\xC0\x80", "\xC1\xBF", "\xC3", "\xC3(", "\xE0\x9F\xBF", "\xE2\x82", "\xED\xA0\x80", "\xF0\x8F\xBF\xBF",
        "\xF4\x90\x80\x80", "\xF5\x80\x80\x80", "\xFF"}) {
    EXPECT_FALSE(first_rune(text).valid()) << testing::PrintToString(text);
    EXPECT_EQ(first_rune(text).size, 1u);
  }
}

}  // namespace
}  // namespace sunup

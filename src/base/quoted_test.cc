#include "base/quoted.h"

#include <gtest/gtest.h>

namespace sunup {
namespace {

TEST(Quoted, EscapesWhatATerminalWouldNotShow) {
  EXPECT_EQ(go_quoted("line1\nline2 \"q\" <tag> \u00e9"), "\"line1\\nline2 \\\"q\\\" <tag> \u00e9\"");
  EXPECT_EQ(go_quoted("\x01\t\x7f\a\v"), R"("\x01\t\x7f\a\v")");
  EXPECT_EQ(go_quoted("\u2028\u00a0\ufeff\U000E0001"), R"("\u2028\u00a0\ufeff\U000e0001")");
  EXPECT_EQ(go_quoted("\xff'"), R"("\xff'")");
}

TEST(QuotedByte, ShowsTheByteAJsonReaderStumbledOver) {
  EXPECT_EQ(quoted_byte('o'), "'o'");
  EXPECT_EQ(quoted_byte('\''), R"('\'')");
  EXPECT_EQ(quoted_byte('"'), "'\"'");
  EXPECT_EQ(quoted_byte(0xEF), "'\u00ef'");
  EXPECT_EQ(quoted_byte(0), R"('\x00')");
}

TEST(Visible, EscapesWhatATerminalWouldActUpon) {
  EXPECT_EQ(visible("\x1b[31mred\x1b]0;title\a \u009b2J \u202e"), R"(\x1b[31mred\x1b]0;title\a \u009b2J \u202e)");
  EXPECT_EQ(visible("a\rb\xff"), R"(a\rb\xff)");
}

TEST(Visible, LeavesReadableTextAsItIs) {
  EXPECT_EQ(visible("a\t\"b\" c:\\d \u00e9\r\ne", "  "), "a\t\"b\" c:\\d \u00e9\n  e");
}

TEST(PlainlySpelled, SaysTheSameWithoutNeedlessEscapes) {
  EXPECT_EQ(plainly_spelled(R"(a\/b\u0041\u00e9\u00E9\ud83d\ude00")"), "a/bA\u00e9\u00e9\U0001F600\"");
  // Without the escape these would have a different meaning.
  for (const char* text :
       {R"(\\u0041)", R"(\u0022 \u005c \u000a \n \")", R"(\ud83d)", R"(\ude00\ud83d)", "\\", R"(\u00)"})
    EXPECT_EQ(plainly_spelled(text), text);
}

TEST(OneLine, CannotBeMistakenForTwo) {
  EXPECT_EQ(one_line("a\nb\r\nc\td\\e \x1b[2J\xff\u2028"), R"(a\nb\r\nc)"
                                                           "\t"
                                                           R"(d\e \x1b[2J\xff\u2028)");
}

}  // namespace
}  // namespace sunup

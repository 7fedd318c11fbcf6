#include "render/shell_word.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace sunup::render {
namespace {

std::string value(std::string_view text) {
  return shell_word(text).value;
}

TEST(ShellWord, EndsWhereTheShellEndsIt) {
  for (const char* text : {"abc def", "abc\tdef", "abc\ndef", "abc;def", "abc&def", "abc|def", "abc)", "abc>x", "abc"})
    EXPECT_EQ(value(text), "abc") << text;
  EXPECT_EQ(shell_word("a'b c'd e").length, 7u);
  EXPECT_EQ(shell_word("a&b;c", Quote::kNone, ";").value, "a&b");
  EXPECT_EQ(value(""), "");
}

TEST(ShellWord, GluesItsPieces) {
  EXPECT_EQ(value(R"(it\'s' a'"\$1"; next)"), "it's a$1");
  EXPECT_EQ(value(R"('it'\''s' x)"), "it's");
  EXPECT_EQ(value(R"('it'"'"'s' x)"), "it's");
}

TEST(ShellWord, KeepsBackslashesWhereTheyMeanNothing) {
  EXPECT_EQ(value(R"(a\b\\c\ d)"), R"(ab\c d)");
  EXPECT_EQ(value(R"("a\b\\c\"d\$e\`f")"), R"(a\b\c"d$e`f)");
  EXPECT_EQ(value(R"('a\b\\c')"), R"(a\b\\c)");
  EXPECT_EQ(value("a\\\nb"), "ab") << "a line that goes on";
  EXPECT_EQ(value("\"a\\\nb\""), "ab");
  EXPECT_EQ(value("a\\"), "a\\");
}

TEST(ShellWord, ResolvesTheEscapesOfDollarQuotes) {
  EXPECT_EQ(value(R"($'a\n\t\\\'\"\e\x41\101\u00e9\U1F600\cA\q')"),
            "a\n\t\\'\"\x1b"
            "AA\u00e9\U0001F600\x01\\q");
  EXPECT_EQ(value(R"($'\xzz\u')"), R"(\xzz\u)");
  EXPECT_EQ(value(R"($"a\"b")"), "a\"b");
}

TEST(ShellWord, LeavesWhatOnlyARunWouldTell) {
  EXPECT_EQ(value(R"("$A-${B}"$C`d`)"), "$A-${B}$C`d`");
}

TEST(ShellWord, MayBeginInsideOfQuotes) {
  EXPECT_EQ(shell_word("a b\" c", Quote::kDouble).value, "a b");
  EXPECT_EQ(shell_word("a \\\"b\\\" 'c'\"d e", Quote::kDouble).value, "a \"b\" 'c'd");
  EXPECT_EQ(shell_word(R"(it'\''s a' b)", Quote::kSingle).value, "it's a");
}

TEST(ShellWord, EndsWithItsLineIfAQuoteIsNeverClosed) {
  EXPECT_EQ(value("'a b\nc"), "a b");
  EXPECT_FALSE(shell_word("'a b\nc").closed);
  EXPECT_EQ(value("'a b\nc' d"), "a b\nc");
  EXPECT_EQ(value("\"a\\"), "a\\");
}

TEST(ShellWord, EndsBeforeAQuoteThatClosesOneAroundIt) {
  EXPECT_EQ(value("abc\"\necho \"x\""), "abc");
  EXPECT_EQ(value("abc'"), "abc");
  EXPECT_EQ(value("'a'\\''b\nc'"), "a'b\nc") << "a word that began with a quote knows where it is";
}

RC_GTEST_PROP(ShellWord, ReadsBackWhatIsQuoted, ()) {
  const auto plain = *rc::gen::container<std::string>(rc::gen::elementOf(std::string("aZ0='\"; \t\n\r\\$`!&")));
  std::string single = "'", twofold = "\"", escaped = "$'";
  for (const char c : plain) {
    single += c == '\'' ? std::string("'\\''") : std::string(1, c);
    twofold += (std::string_view("\\\"$`").find(c) != std::string_view::npos ? "\\" : "") + std::string(1, c);
    escaped += c == '\n' ? std::string("\\n") : (c == '\\' || c == '\'' ? "\\" : "") + std::string(1, c);
  }
  RC_ASSERT(value(single + "' x") == plain);
  RC_ASSERT(value(twofold + "\" x") == plain);
  RC_ASSERT(value(escaped + "' x") == plain);
}

RC_GTEST_PROP(ShellWord, IsNoLongerThanTheText, ()) {
  const auto text = *rc::gen::container<std::string>(rc::gen::elementOf(std::string("aux0c='\"; \n\\$")));
  for (const Quote inside : {Quote::kNone, Quote::kSingle, Quote::kDouble}) {
    const ShellWord word = shell_word(text, inside);
    RC_ASSERT(word.length <= text.size());
    RC_ASSERT(word.value.size() <= word.length);
  }
}

}  // namespace
}  // namespace sunup::render

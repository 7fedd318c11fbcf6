#include "base/shell_word.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace sunup {
namespace {

using Kind = ShellPiece::Kind;
using testing::ElementsAre;
using testing::FieldsAre;

std::string value(std::string_view text, ShellRules rules = ShellRules::kBash) {
  return shell_word(text, {.rules = rules}).value;
}

ShellWord inside(Quote quotes, std::string_view text) {
  return shell_word(text, {.inside = quotes});
}

TEST(ShellWord, EndsWhereTheShellEndsIt) {
  for (const char* text : {"abc def", "abc\tdef", "abc\ndef", "abc;def", "abc&def", "abc|def", "abc)", "abc>x", "abc"})
    EXPECT_EQ(value(text), "abc") << text;
  EXPECT_EQ(shell_word("a'b c'd e").length, 7u);
  EXPECT_EQ(shell_word("a&b;c", {.ends = ";"}).value, "a&b");
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
  EXPECT_EQ(inside(Quote::kDouble, "a b\" c").value, "a b");
  EXPECT_EQ(inside(Quote::kDouble, "a \\\"b\\\" 'c'\"d e").value, "a \"b\" 'c'd");
  EXPECT_EQ(inside(Quote::kSingle, R"(it'\''s a' b)").value, "it's a");
}

TEST(ShellWord, ReachesToTheEndIfAQuoteIsNotClosed) {
  EXPECT_EQ(value("a'b c\nd"), "ab c\nd");
  EXPECT_FALSE(shell_word("a'b c\nd").closed);
  EXPECT_FALSE(shell_word("\"a\\\"").closed);
  EXPECT_TRUE(shell_word("'a'b").closed);
}

TEST(ShellWord, OfAFragmentEndsWithItsLineIfAQuoteIsNeverClosed) {
  constexpr auto kFragment = ShellRules::kFragment;
  EXPECT_EQ(value("'a b\nc", kFragment), "a b");
  EXPECT_FALSE(shell_word("'a b\nc", {.rules = kFragment}).closed);
  EXPECT_EQ(value("'a b\nc' d", kFragment), "a b\nc");
  EXPECT_EQ(value("\"a\\", kFragment), "a\\");
}

TEST(ShellWord, OfAFragmentEndsBeforeAQuoteThatClosesOneAroundIt) {
  constexpr auto kFragment = ShellRules::kFragment;
  EXPECT_EQ(value("abc\"\necho \"x\"", kFragment), "abc");
  EXPECT_EQ(value("abc'", kFragment), "abc");
  EXPECT_EQ(value("'a'\\''b\nc'", kFragment), "a'b\nc") << "a word that began with a quote knows where it is";
}

TEST(ShellWord, MayBeHeldTogetherByQuotesAlone) {
  const ShellWord word = shell_word(R"(a\"b \$c"$'d'"e" f)", {.rules = ShellRules::kQuotesOnly});
  EXPECT_EQ(word.value, R"(a\b \$c$de)");
  EXPECT_THAT(word.pieces, ElementsAre(FieldsAre(Kind::kPlain, 0u, "a\\"), FieldsAre(Kind::kDouble, 2u, R"(b \$c)"),
                                       FieldsAre(Kind::kPlain, 9u, "$"), FieldsAre(Kind::kSingle, 10u, "d"),
                                       FieldsAre(Kind::kDouble, 13u, "e")));
  EXPECT_EQ(value("a'b c\nd", ShellRules::kQuotesOnly), "ab c\nd");
}

TEST(ShellWord, TellsWhatItIsMadeOfAndWhere) {
  EXPECT_THAT(shell_word(R"(NAME='a'"b"c\d$'e' next)").pieces,
              ElementsAre(FieldsAre(Kind::kPlain, 0u, "NAME="), FieldsAre(Kind::kSingle, 5u, "a"),
                          FieldsAre(Kind::kDouble, 8u, "b"), FieldsAre(Kind::kPlain, 11u, "c"),
                          FieldsAre(Kind::kEscape, 12u, "d"), FieldsAre(Kind::kDollarQuote, 14u, "e")));
  EXPECT_THAT(shell_word(R"(A="")").pieces,
              ElementsAre(FieldsAre(Kind::kPlain, 0u, "A="), FieldsAre(Kind::kDouble, 2u, "")));
  EXPECT_THAT(shell_word("A=").pieces, ElementsAre(FieldsAre(Kind::kPlain, 0u, "A=")));
  EXPECT_TRUE(shell_word(" a").pieces.empty());
}

TEST(ShellWord, TellsWhatAShellWouldReplace) {
  EXPECT_THAT(shell_word(R"(a$B`c`)").pieces,
              ElementsAre(FieldsAre(Kind::kPlain, 0u, "a"), FieldsAre(Kind::kDollar, 1u, "$"),
                          FieldsAre(Kind::kPlain, 2u, "B"), FieldsAre(Kind::kBackquote, 3u, "`"),
                          FieldsAre(Kind::kPlain, 4u, "c"), FieldsAre(Kind::kBackquote, 5u, "`")));
  EXPECT_THAT(shell_word(R"("a${B}\"`c`")").pieces,
              ElementsAre(FieldsAre(Kind::kDouble, 0u, "a"), FieldsAre(Kind::kDollar, 2u, "$"),
                          FieldsAre(Kind::kDouble, 3u, "{B}"), FieldsAre(Kind::kEscape, 6u, "\""),
                          FieldsAre(Kind::kBackquote, 8u, "`"), FieldsAre(Kind::kDouble, 9u, "c"),
                          FieldsAre(Kind::kBackquote, 10u, "`")));
  const auto replaced = [](std::string_view text) {
    const auto pieces = shell_word(text).pieces;
    return std::ranges::any_of(
        pieces, [](const ShellPiece& piece) { return piece.kind == Kind::kDollar || piece.kind == Kind::kBackquote; });
  };
  for (const char* text :
       {"$A", "$1", "$$", "$?", "$_", "$-", "$!", "$@", "$[1]", "\"$(id)\"", "a\"$A\"", "`", "\"`\""})
    EXPECT_TRUE(replaced(text)) << text;
  for (const char* text : {"'$A`b`'", "\\$A", "\"\\$A\\`\"", "$'$A`b`'", "a$", "\"a$\"", "\"$.\"", "$/", "$\"a\""})
    EXPECT_FALSE(replaced(text)) << text;
}

TEST(ShellQuoting, EscapesWhateverIsSpecialToTheShell) {
  const auto written = [](std::string_view text, ShellQuoting quoting) {
    std::string word;
    append_shell_word(word, text, quoting);
    return word;
  };
  EXPECT_EQ(written(R"(a"b$c`d\e)", ShellQuoting::kDouble), R"("a\"b\$c\`d\\e")");
  EXPECT_EQ(written("it's $HOME", ShellQuoting::kIfNeeded), R"('it'\''s $HOME')");
  EXPECT_EQ(written("https://a/b.tgz", ShellQuoting::kIfNeeded), "https://a/b.tgz");
  EXPECT_EQ(written("a", ShellQuoting::kSingle), "'a'");
  EXPECT_EQ(written("", ShellQuoting::kSingle), "''");
  EXPECT_EQ(written("", ShellQuoting::kDouble), "\"\"");
  EXPECT_EQ(written("", ShellQuoting::kIfNeeded), "");
}

RC_GTEST_PROP(ShellQuoting, IsUndoneByTheReader, (const std::string& text)) {
  for (const auto quoting : {ShellQuoting::kSingle, ShellQuoting::kDouble, ShellQuoting::kIfNeeded}) {
    std::string written;
    append_shell_word(written, text, quoting);
    const ShellWord word = shell_word(written + " x");
    RC_ASSERT(word.value == text);
    RC_ASSERT(word.length == written.size());
    for (const ShellPiece& piece : word.pieces)
      RC_ASSERT(piece.kind != Kind::kDollar && piece.kind != Kind::kBackquote);
  }
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

RC_GTEST_PROP(ShellWord, IsNoLongerThanTheTextAndMadeOfIt, ()) {
  const auto text = *rc::gen::container<std::string>(rc::gen::elementOf(std::string("aux0c='\"; \n\\$`{")));
  for (const auto rules : {ShellRules::kBash, ShellRules::kFragment, ShellRules::kQuotesOnly}) {
    for (const Quote quotes : {Quote::kNone, Quote::kSingle, Quote::kDouble}) {
      const ShellWord word = shell_word(text, {.rules = rules, .inside = quotes});
      RC_ASSERT(word.length <= text.size());
      RC_ASSERT(word.value.size() <= word.length);
      size_t end = 0;
      for (const ShellPiece& piece : word.pieces) {
        RC_ASSERT(piece.at >= end);
        end = piece.at + piece.text.size();
        RC_ASSERT(end <= word.length);
      }
    }
  }
}

}  // namespace
}  // namespace sunup

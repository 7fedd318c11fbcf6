#include "redaction/pattern.h"

#include <gtest/gtest.h>

namespace sunup::redaction {
namespace {

using At = Pattern::At;
using Freedom = Pattern::Freedom;

size_t length_in(const Pattern& pattern, std::string_view text) {
  return pattern.fit({.text = text}, 0).length;
}

At in_what_came(const Pattern& pattern, std::string_view text) {
  return pattern.fit({.text = text, .may_go_on = true}, 0).at;
}

TEST(Pattern, MayHaveBackslashesWhereShellsPutThem) {
  const Pattern pattern("a b$c\\d", Freedom::kBackslashes);
  for (const std::string text : {R"(a\ b\$c\\d)", R"(a b\$c\\d)", R"(a\ b$c\\d)"})
    EXPECT_EQ(length_in(pattern, text + "x"), text.size()) << text;
  EXPECT_EQ(length_in(pattern, R"(a\ \b\$c\\d)"), 0u) << "a letter means nothing to a shell";
  EXPECT_EQ(length_in(pattern, R"(a b$c\d)"), 0u) << "its own backslash needs another";
  EXPECT_TRUE(Pattern("$a", Freedom::kBackslashes).may_begin_with('\\'));
  EXPECT_FALSE(Pattern("$a").may_begin_with('\\'));
}

TEST(Pattern, MayGoOnInTheNextLineOfBase64) {
  const std::string line(kWrappedLine, 'A');
  const Pattern pattern(line + "BCDE", Freedom::kLineEnds);
  for (const std::string end : {"", "\n", "\r\n", "\\n", "\\r\\n"})
    EXPECT_EQ(length_in(pattern, line + "B" + end + "CDEF"), line.size() + 4 + end.size()) << end;
  EXPECT_EQ(length_in(pattern, line + "B\n\nCDE"), 0u);
  EXPECT_EQ(length_in(pattern, line + "B CDE"), 0u);
}

TEST(Pattern, KnowsWhatStoodBeforeItInTheLine) {
  const std::string text = std::string(kWrappedLine - 2, 'x') + "AB\nCD";
  const Pattern pattern("ABCD", Freedom::kLineEnds);
  EXPECT_EQ(pattern.fit({.text = text}, kWrappedLine - 2).length, 5u);
  EXPECT_EQ(pattern.fit({.text = "AB\nCD", .run_before = kWrappedLine - 2}, 0).length, 5u);
  EXPECT_EQ(pattern.fit({.text = "AB\nCD", .run_before = kWrappedLine - 3}, 0).length, 0u) << "too short to be wrapped";
}

TEST(Pattern, WaitsOnlyForWhatMayFollow) {
  EXPECT_EQ(in_what_came(Pattern("abc"), "ab"), At::kNeedsMore);
  EXPECT_EQ(in_what_came(Pattern("abc"), "ax"), At::kNothing);
  EXPECT_EQ(in_what_came(Pattern("a$c", Freedom::kBackslashes), "a\\"), At::kNeedsMore);
  EXPECT_EQ(in_what_came(Pattern("abc", Freedom::kBackslashes), "a\\"), At::kNothing);
  EXPECT_EQ(in_what_came(Pattern("abc", Freedom::kLineEnds), "ab"), At::kNeedsMore);
  EXPECT_EQ(in_what_came(Pattern("abc", Freedom::kLineEnds), "ab\n"), At::kNothing) << "of a short line";
  const std::string line(kWrappedLine, 'A');
  for (const char* end : {"\n", "\r", "\r\n", "\\", "\\r\\"})
    EXPECT_EQ(in_what_came(Pattern(line + "BC", Freedom::kLineEnds), line + end), At::kNeedsMore) << end;
}

}  // namespace
}  // namespace sunup::redaction

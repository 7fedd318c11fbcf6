#include "report/redacted_json.h"

#include <gtest/gtest.h>

namespace sunup::report {
namespace {

Redactor hiding(std::string_view value) {
  Redactor redactor;
  redactor.hide(value);
  return redactor;
}

TEST(RedactedJson, FindsWhatAShellQuotedInsideOfAString) {
  const Redactor redactor = hiding("it's $planted");
  EXPECT_EQ(redacted_json(redactor, R"({"Output":"+ X='it'\\''s $planted'\n"})"), R"({"Output":"+ X='[redacted]'\n"})");
  EXPECT_EQ(redacted_json(redactor, R"(["X=\"it's \\$planted\"", "it\\'s\\ \\$planted"])"),
            R"(["X=\"[redacted]\"", "[redacted]"])");
}

TEST(RedactedJson, FindsACharacterHoweverItIsSpelled) {
  const Redactor redactor = hiding("planted/tok'en+\u00e9");
  for (const char* text : {R"("planted\/tok\u0027en\u002B\u00e9")", R"("\u0070lanted/tok'en+\u00E9")"})
    EXPECT_EQ(redacted_json(redactor, text), R"("[redacted]")");
}

TEST(RedactedJson, KeepsWhatHoldsNothingAsItIsSpelled) {
  for (const char* text : {R"({"a\/b" :"\u0041\n", "c":[1,{}]} )", "no JSON \" at \\ all", "\"", "\"\\", ""})
    EXPECT_EQ(redacted_json(hiding("it's $planted"), text), text);
}

TEST(RedactedJson, FindsItInTextThatIsNoJson) {
  const Redactor redactor = hiding("planted/token");
  EXPECT_EQ(redacted_json(redactor, R"({"Output":"x planted\/token)"), R"({"Output":"x [redacted])");
  EXPECT_EQ(redacted_json(redactor, "planted/token \"a\nb planted/token\""), "[redacted] \"a\nb [redacted]\"");
}

}  // namespace
}  // namespace sunup::report

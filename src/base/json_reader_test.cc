#include "base/json_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace sunup {
namespace {

std::string read(std::string_view text) {
  JsonReader in(text);
  if (in.skip() && in.end()) return "ok";
  const Position at = in.position(in.error_offset());
  return std::to_string(at.line) + ":" + std::to_string(at.column) + " " + in.error();
}

TEST(JsonReader, AcceptsWhatTheGrammarAllows) {
  for (const char* good :
       {"{}", "[]", "[1,-0,1.5,1e9,1E+9,1e-9,0.1]", "\"\"", "true", "false", "null", " \t\r\n{ \"a\" : [ ] } \n",
        "{\"a\":{\"b\":[{},[],\"x\"]}}", "\"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e9\\ud83d\\ude00\"", "\"\x7f\u2028\"",
        "\"\xF4\x8F\xBF\xBF\"", "{\"a\":1,\"a\":2}"})
    EXPECT_EQ(read(good), "ok") << good;
}

TEST(JsonReader, RefusesEverythingElse) {
  for (const char* bad : {"",
                          " ",
                          "{",
                          "}",
                          "[",
                          "]",
                          "{]",
                          "[}",
                          "{\"a\"}",
                          "{\"a\":}",
                          "{\"a\":1,}",
                          "[1,]",
                          "[,1]",
                          "[1 2]",
                          "{a:1}",
                          "{'a':1}",
                          "{\"a\":1 \"b\":2}",
                          "tru",
                          "truex",
                          "True",
                          "nul",
                          "nullx",
                          "NaN",
                          "Infinity",
                          "-Infinity",
                          "+1",
                          "01",
                          "-",
                          "1.",
                          ".5",
                          "1e",
                          "1e+",
                          "1x",
                          "0x1",
                          "1_0",
                          "--1",
                          "\"",
                          "\"a",
                          "\"\\",
                          "\"\\x\"",
                          "\"\\u12\"",
                          "\"\\u123g\"",
                          "{}{}",
                          "{} x",
                          "// c\n{}",
                          "{/* c */}",
                          "[1]#",
                          "\xEF\xBB\xBF{}",
                          "\xC2\xA0{}",
                          "\f{}",
                          "\v{}"})
    EXPECT_NE(read(bad), "ok") << bad;
}

TEST(JsonReader, RefusesTextThatIsNotUtf8) {
  for (const char* bad : {"\"\x80\"", "\"\xC0\x80\"", "\"\xC1\xBF\"", "\"\xC3\"", "\"\xC3(\"", "\"\xE0\x80\x80\"",
                          "\"\xE2\x82\"", "\"\xED\xA0\x80\"", "\"\xF0\x80\x80\x80\"", "\"\xF4\x90\x80\x80\"",
                          "\"\xF5\x80\x80\x80\"", "\"\xFF\"", "{\"\xFF\":1}"})
    EXPECT_NE(read(bad).find("not valid UTF-8"), std::string::npos) << read(bad);
}

TEST(JsonReader, RefusesHalfASurrogatePair) {
  for (const char* bad : {"\"\\ud83d\"", "\"\\ude00\"", "\"\\ud83dx\"", "\"\\ud83d\\n\"", "\"\\ud83d\\ud83d\"",
                          "\"\\ude00\\ud83d\"", "{\"\\ud800\":1}"})
    EXPECT_NE(read(bad).find("surrogate"), std::string::npos) << bad;
}

TEST(JsonReader, RefusesNulAndRawControlCharacters) {
  EXPECT_NE(read(std::string_view("\"a\0b\"", 5)).find("NUL"), std::string::npos);
  EXPECT_NE(read("\"\\u0000\"").find("NUL"), std::string::npos);
  EXPECT_NE(read("{\"\\u0000\":1}").find("NUL"), std::string::npos);
  for (char c = 1; c < 0x20; ++c) EXPECT_NE(read(std::string("\"") + c + "\"").find("control"), std::string::npos);
  EXPECT_NE(read(std::string_view("{}\0", 3)), "ok");
}

TEST(JsonReader, StopsAtAHundredLevels) {
  const auto nested = [](int levels, char open, char close) {
    std::string text(static_cast<size_t>(levels), open);
    text.append(static_cast<size_t>(levels), close);
    return text;
  };
  EXPECT_EQ(read(nested(100, '[', ']')), "ok");
  EXPECT_EQ(read(nested(101, '[', ']')), "1:101 nested more than 100 levels deep");
  EXPECT_NE(read(std::string(1 << 20, '[')), "ok");
}

TEST(JsonReader, CountsLinesAndCharacters) {
  EXPECT_EQ(read("[\n  1,\n  x]"), "3:3 expected a value, found 'x'");
  EXPECT_EQ(read("{\"\u00e9\u65e5\": x}"), "1:8 expected a value, found 'x'");
  EXPECT_EQ(read("[\r\n\r\n1 1]"), "3:3 expected ',' or ']', found '1'");
  EXPECT_EQ(read("[1"), "1:3 expected ',' or ']', but the text ends here");
}

TEST(JsonReader, DoesNotTakeAWordForAnotherByItsFirstLetter) {
  for (const char* word : {"not json", "nothing", "nullx", "no", "text", "truex", "falsehood", "f"}) {
    EXPECT_EQ(JsonReader(word).peek(), JsonKind::kNone) << word;
    EXPECT_EQ(read(word), std::string("1:1 expected JSON, found '") + word[0] + "'");
    EXPECT_EQ(read("[" + std::string(word) + "]"), std::string("1:2 expected a value, found '") + word[0] + "'");
  }
  EXPECT_EQ(JsonReader("null").peek(), JsonKind::kNull);
  EXPECT_EQ(JsonReader("true,").peek(), JsonKind::kTrue);
  EXPECT_EQ(JsonReader("false]").peek(), JsonKind::kFalse);
}

TEST(JsonReader, SaysWhatAWholeTextLooksLikeThatIsNoJson) {
  using testing::HasSubstr;
  using testing::Not;
  for (const char* yaml : {"apiVersion: v1\nkind: X\n", "# a comment\nversion: v1\n", "---\nversion: v1\n",
                           "network_config:\n  network_plugin: 2\n"})
    EXPECT_THAT(read(yaml), HasSubstr("; this looks like YAML: a config is JSON")) << yaml;
  EXPECT_THAT(read("eyJ2ZXJzaW9uIjoidjEifQ==\n"), HasSubstr("; this looks like base64: decode it first"));
  for (const char* text : {"nonsense", "x", "{\"a\": x}", "{} x", "a word: and more", "http://x"})
    EXPECT_THAT(read(text), Not(HasSubstr("looks like"))) << text;
}

std::string read_as_go(std::string_view text) {
  JsonReader in(text, JsonDialect::kGo);
  return in.skip() && in.end() ? "ok" : in.error();
}

TEST(JsonReader, FailsInTheWordsOfEncodingJson) {
  const std::pair<std::string_view, std::string_view> cases[] = {
      {"", "unexpected end of JSON input"},
      {"nope", "invalid character 'o' in literal null (expecting 'u')"},
      {"tru", "unexpected end of JSON input"},
      {"truex", "invalid character 'x' after top-level value"},
      {"01", "invalid character '1' after top-level value"},
      {"-x", "invalid character 'x' in numeric literal"},
      {"1.x", "invalid character 'x' after decimal point in numeric literal"},
      {"1ex", "invalid character 'x' in exponent of numeric literal"},
      {"[1,]", "invalid character ']' looking for beginning of value"},
      {"[1 2]", "invalid character '2' after array element"},
      {"{\"a\":1,}", "invalid character '}' looking for beginning of object key string"},
      {"{\"a\" 1}", "invalid character '1' after object key"},
      {"{\"a\":1 \"b\"}", "invalid character '\"' after object key:value pair"},
      {"\"a\nb\"", "invalid character '\\n' in string literal"},
      {"\"\\x\"", "invalid character 'x' in string escape code"},
      {"\"\\u12g4\"", "invalid character 'g' in \\u hexadecimal character escape"},
      {"\"a", "unexpected end of JSON input"},
      {"\xEF\xBB\xBF{}", "invalid character '\u00ef' looking for beginning of value"},
  };
  for (const auto& [text, error] : cases) EXPECT_EQ(read_as_go(text), error) << text;
  const auto nested = [](size_t levels) { return std::string(levels, '[') + std::string(levels, ']'); };
  EXPECT_EQ(read_as_go(nested(10000)), "ok");
  EXPECT_EQ(read_as_go(nested(10001)), "exceeded max depth");
}

TEST(JsonReader, ReplacesBrokenTextAsEncodingJsonDoes) {
  JsonReader in(R"("\ud800 )"
                "\xff"
                R"( \u0000")",
                JsonDialect::kGo);
  std::string_view out;
  ASSERT_TRUE(in.string(out));
  EXPECT_EQ(out, std::string("\uFFFD \uFFFD \0", 9));
}

TEST(JsonReader, ReadsWhatIsLeftOfBrokenJson) {
  const auto read_broken = [](std::string_view text) {
    JsonReader in(text, JsonDialect::kBroken);
    if (in.skip()) return std::string("ok");
    return std::string(in.error_offset() == text.size() ? "cut" : "broken");
  };
  for (const char* text : {"{\"a\": True,}", "[1,]", "\"raw\ntext \\x\"", "undefined", "\"cut", "\"cut\\"})
    EXPECT_EQ(read_broken(text), "ok") << text;
  for (const char* text : {"{", "{\"a", "{\"a\":", "{\"a\": \"b", "[1, 2", "[[]"}) EXPECT_EQ(read_broken(text), "cut");
  for (const char* text : {"{a}", "{\"a\" 1}", "[1 2]", "{,}", "]", "[1}"}) EXPECT_EQ(read_broken(text), "broken");

  JsonReader in("\"a\\q\tb\\", JsonDialect::kBroken);
  std::string_view out;
  ASSERT_TRUE(in.string(out));
  EXPECT_EQ(out, "a\\q\tb") << "an unknown escape stands for itself, a backslash at the end for nothing";
  EXPECT_TRUE(in.string_was_cut());
}

TEST(JsonReader, ResolvesEscapes) {
  JsonReader in(R"("a\u0062\u00e9\ud83d\ude00\n")");
  std::string_view out;
  ASSERT_TRUE(in.string(out));
  EXPECT_EQ(out, "ab\u00e9\U0001F600\n");
}

TEST(JsonReader, GivesPlacesAlsoBackwards) {
  JsonReader in("a\nb\nc");
  EXPECT_EQ(in.position(4).line, 3);
  EXPECT_EQ(in.position(2).line, 2);
  EXPECT_EQ(in.position(100).line, 3);
}

}  // namespace
}  // namespace sunup

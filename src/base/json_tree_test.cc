#include "base/json_tree.h"

#include <gmock/gmock.h>

namespace sunup {
namespace {

using testing::ElementsAre;

std::optional<std::string> string_value(std::string_view text) {
  const auto tree = JsonTree::parse(text);
  if (!tree || !tree->root().is_string()) return std::nullopt;
  return tree->root().text;
}

TEST(JsonTree, KeepsMembersInOrderAndTheirRepetitions) {
  const auto tree = JsonTree::parse(R"( {"b": [1, {"x": {}}], "a": "t", "b": null} )");
  ASSERT_TRUE(tree);
  std::vector<std::string> names;
  for (const JsonNode& member : tree->root()) names.push_back(member.name);
  EXPECT_THAT(names, ElementsAre("b", "a", "b"));
}

TEST(JsonTree, ResolvesEscapesAlsoInNames) {
  EXPECT_EQ(string_value(R"("\"\\\/\b\f\n\r\t\u00e9\u20ac\ud83c\udf05")"),
            "\"\\/\b\f\n\r\t\xC3\xA9\xE2\x82\xAC\xF0\x9F\x8C\x85");
  const auto tree = JsonTree::parse(R"({"\u0061": 1})");
  ASSERT_TRUE(tree);
  for (const JsonNode& member : tree->root()) EXPECT_EQ(member.name, "a");
}

TEST(JsonTree, GivesNumbersAndWordsAsWritten) {
  const auto tree = JsonTree::parse(R"([-1.50e2, true, null, {"a": "x", "a": "y"}, []])");
  ASSERT_TRUE(tree);
  std::vector<std::string> seen;
  for (const JsonNode& item : tree->root()) seen.push_back(std::string(item.kind_name()) + " " + item.text);
  EXPECT_THAT(seen, ElementsAre("number -1.50e2", "bool true", "null null", "object ", "array "));
  const JsonNode& object = *std::next(tree->root().begin(), 3);
  EXPECT_EQ(object.text_of("a"), "y") << "the last of several counts";
  EXPECT_EQ(object.find("b"), nullptr);
  EXPECT_EQ(object.text_of("b"), "");
  EXPECT_EQ(tree->root().find("a"), nullptr);
}

TEST(JsonTree, SaysWhyInTheWordsOfTheDialect) {
  EXPECT_EQ(JsonTree::parse("[x]").error().what, "invalid character 'x' looking for beginning of value");
  EXPECT_EQ(JsonTree::parse("[x]", JsonDialect::kStrict).error().what, "expected a value, found 'x'");
}

TEST(JsonTree, ReplacesHalfASurrogatePair) {
  EXPECT_EQ(string_value(R"("\ud800")"), "\xEF\xBF\xBD");
  EXPECT_EQ(string_value(R"("\udc00x")"), "\xEF\xBF\xBDx");
  EXPECT_EQ(string_value(R"("\ud800\u0041")"),
            "\xEF\xBF\xBD"
            "A");
  EXPECT_EQ(string_value(R"("\ud800\ud83c\udf05")"), "\xEF\xBF\xBD\xF0\x9F\x8C\x85");
}

TEST(JsonTree, TakesNumbersOfAnySize) {
  for (const auto* text : {"0", "-0", "1e999", "123456789012345678901234567890", "-1.5E-3", "0.25e+1"})
    EXPECT_TRUE(JsonTree::parse(text)) << text;
}

TEST(JsonTree, RefusesWhatIsNotOneJsonValue) {
  using std::string_literals::operator""s;
  for (const std::string& text : {""s,         " "s,           "{"s,      "[1,]"s,    "{\"a\":1,}"s,
                                  "{a:1}"s,    "[1 2]"s,       "1 2"s,    "{}}"s,     "]"s,
                                  "01"s,       "1."s,          ".5"s,     "+1"s,      "1e"s,
                                  "-"s,        "nul"s,         "True"s,   "'a'"s,     "\"a"s,
                                  "\"\\x\""s,  "\"\\u12g4\""s, "\"\n\""s, "\"\0015"s, "\xEF\xBB\xBF{}"s,
                                  "{\"a\"}"s,  "{,}"s,         "[,]"s,    "// c\n1"s, "NaN"s,
                                  "\"\\ud800"s})
    EXPECT_FALSE(JsonTree::parse(text)) << text;
}

TEST(JsonTree, NestsTenThousandLevelsAndNoMore) {
  const auto nested = [](size_t depth) { return std::string(depth, '[') + std::string(depth, ']'); };
  EXPECT_TRUE(JsonTree::parse(nested(10000)));
  EXPECT_FALSE(JsonTree::parse(nested(10001)));
}

}  // namespace
}  // namespace sunup

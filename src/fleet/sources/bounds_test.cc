#include "fleet/sources/bounds.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "fleet/sources/document.h"

namespace sunup::fleet {
namespace {

using ::testing::HasSubstr;

std::string nested(const std::string& open, const std::string& close, int depth) {
  std::string text;
  for (int i = 0; i < depth; ++i) text += open;
  text += "1";
  for (int i = 0; i < depth; ++i) text += close;
  return text;
}

TEST(YamlBounds, RefuseTextThatIsNotUtf8) {
  for (const char* text : {",C{\"\x94", "a: b\nc: \xC3"}) {
    const auto read = read_documents(text, "x.yaml");
    ASSERT_FALSE(read);
    EXPECT_THAT(read.error().what, HasSubstr("not valid UTF-8"));
  }
  EXPECT_THAT(read_documents("a: b\nc: \xC3", "x.yaml").error().what, HasSubstr("x.yaml:2: "));
  EXPECT_TRUE(read_documents("a: \u00e9"));
}

TEST(YamlBounds, RefuseACharacterThatNoDocumentStartsWith) {
  for (const char* text : {",", ",M{C{\"N", "a: 1\n---\n,\n"}) {
    const auto read = read_documents(text, "test.yaml");
    ASSERT_FALSE(read) << text;
    EXPECT_THAT(read.error().what, HasSubstr("unexpected character")) << text;
  }
  EXPECT_TRUE(read_documents("--- a\n--- b\n...\n---\n", "test.yaml"));
}

TEST(Bounds, RefuseJsonThatIsNestedDeeperThanAHundred) {
  EXPECT_TRUE(parse_json(nested("[", "]", 100)));
  EXPECT_TRUE(read_json_document(nested("[", "]", 100)));
  for (const int depth : {101, 50000}) {
    EXPECT_THAT(parse_json(nested("[", "]", depth)).error().what, HasSubstr("nested"));
    EXPECT_THAT(read_json_document(nested("{\"a\":", "}", depth)).error().what, HasSubstr("nested"));
  }
}

TEST(Bounds, DoNotCountBracketsInsideText) {
  EXPECT_TRUE(parse_json("\"" + std::string(500, '[') + "\""));
  EXPECT_TRUE(parse_json("[\"\\\"" + std::string(500, '[') + "\"]"));
}

TEST(Bounds, RefuseYamlThatIsNestedDeeperThanAHundredInAnyStyle) {
  EXPECT_TRUE(read_documents(nested("[", "]", 100)));
  std::string block;
  for (int i = 0; i < 200; ++i) block += std::string(static_cast<size_t>(i), ' ') + "a:\n";
  for (const std::string& text : {nested("[", "]", 101), nested("{a: ", "}", 50000), nested("- ", "", 300), block})
    EXPECT_THAT(read_documents(text, "f.yaml").error().what, HasSubstr("nested more than 100 levels deep"));
}

TEST(Bounds, RefuseAliasesThatStandForTooMuch) {
  std::string bomb = "l0: &l0 x\n";
  for (int i = 1; i < 40; ++i) bomb += fmt::format("l{0}: &l{0} [*l{1}, *l{1}, *l{1}]\n", i, i - 1);
  EXPECT_THAT(read_documents(bomb, "f.yaml").error().what, HasSubstr("aliases expand to more than"));
  std::string chain = "l0: &l0 x\n";
  for (int i = 1; i < 150; ++i) chain += fmt::format("l{0}: &l{0} [*l{1}]\n", i, i - 1);
  EXPECT_THAT(read_documents(chain, "f.yaml").error().what, HasSubstr("nested more than 100 levels deep"));
  EXPECT_THAT(read_documents("a: &a [*a]\n", "f.yaml").error().what, HasSubstr("a value that contains it"));
}

TEST(Bounds, LetAliasesOfOrdinaryUseBe) {
  const auto documents = read_documents("a: &a {x: 1}\nb: *a\nc: [*a, *a]\n");
  ASSERT_TRUE(documents);
  EXPECT_EQ((*documents)[0].value["c"][1]["x"], 1);
}

}  // namespace
}  // namespace sunup::fleet

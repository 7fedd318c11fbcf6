#include "fleet/sources/document.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace sunup::fleet {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::HasSubstr;

TEST(Document, TakesOverTheMembersOfAMergedMap) {
  const auto documents = read_documents(
      "base: &base {a: 1, b: 2, n: 3}\nmore: &more {b: 7, c: 8}\nown:\n  b: 5\n  n:\n  <<: [*base, *more]\n"
      "quoted: {\"<<\": text}\n");
  ASSERT_TRUE(documents) << documents.error().what;
  EXPECT_EQ((*documents)[0].value["own"], json::parse(R"({"a": 1, "b": 5, "c": 8})"));
  EXPECT_EQ((*documents)[0].value["quoted"]["<<"], "text");
  EXPECT_THAT(read_documents("a:\n  <<: 5\n").error().what, AllOf(HasSubstr("line 2"), HasSubstr("(column 3)")));
}

TEST(Document, BelievesATagThatSaysText) {
  EXPECT_EQ((*read_documents("a: !!str 5\nb: 5\n"))[0].value, json::parse(R"({"a": "5", "b": 5})"));
}

}  // namespace
}  // namespace sunup::fleet

#include "contract/canonical_json.h"

#include <gtest/gtest.h>

namespace sunup::contract {
namespace {

TEST(CanonicalJson, IsTheSameForValuesThatAreEqual) {
  const std::string one = R"({ "b" : [ {"y":1, "x":[true , null]} ], "a": "A\/\u00e9" })";
  const std::string other = R"({"a":"\u0041/é","b":[{"x":[true,null],"y":1}]})";
  EXPECT_EQ(canonical_json(one), canonical_json(other));
  EXPECT_EQ(canonical_json(one), R"({"a":"A/é","b":[{"x":[true,null],"y":1}]})");
}

TEST(CanonicalJson, KeepsTheOrderOfListsAndTheLetterOfNumbers) {
  EXPECT_EQ(canonical_json("[3, 1.50, 123456789012345678901234567890, -0]"),
            "[3,1.50,123456789012345678901234567890,-0]");
}

TEST(CanonicalJson, TakesTheLastOfANameGivenTwice) {
  EXPECT_EQ(canonical_json(R"({"a":1,"\u0061":2})"), R"({"a":2})");
}

TEST(CanonicalJson, WritesEmptyThingsAndEscapes) {
  EXPECT_EQ(canonical_json(" {} "), "{}");
  EXPECT_EQ(canonical_json("[ ]"), "[]");
  EXPECT_EQ(canonical_json("\"a\\\"\\n\""), "\"a\\\"\\n\"");
}

}  // namespace
}  // namespace sunup::contract

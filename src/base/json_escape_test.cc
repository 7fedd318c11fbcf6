#include "base/json_escape.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace sunup {
namespace {

using testing::FieldsAre;
using Problem = JsonEscape::Problem;

TEST(JsonEscape, StandsForACodePoint) {
  EXPECT_THAT(read_json_escape(R"(\nx)"), FieldsAre(Problem::kNone, 0x0Au, 2u));
  EXPECT_THAT(read_json_escape(R"(\/)"), FieldsAre(Problem::kNone, 0x2Fu, 2u));
  EXPECT_THAT(read_json_escape(R"(\")"), FieldsAre(Problem::kNone, 0x22u, 2u));
  EXPECT_THAT(read_json_escape(R"(\u00e9x)"), FieldsAre(Problem::kNone, 0xE9u, 6u));
  EXPECT_THAT(read_json_escape(R"(\u0000)"), FieldsAre(Problem::kNone, 0u, 6u));
  EXPECT_THAT(read_json_escape(R"(\uD83D\uDE00x)"), FieldsAre(Problem::kNone, 0x1F600u, 12u));
}

TEST(JsonEscape, SaysWhereItIsWrong) {
  for (const char* text : {"\\", "\\x", "\\U0041", "\\ n"})
    EXPECT_THAT(read_json_escape(text), FieldsAre(Problem::kUnknown, 0u, 1u)) << text;
  EXPECT_THAT(read_json_escape(std::string_view("\\\0", 2)), FieldsAre(Problem::kUnknown, 0u, 1u));
  EXPECT_THAT(read_json_escape(R"(\u)"), FieldsAre(Problem::kHex, 0u, 2u));
  EXPECT_THAT(read_json_escape(R"(\u12g4)"), FieldsAre(Problem::kHex, 0u, 4u));
  EXPECT_THAT(read_json_escape(R"(\u123)"), FieldsAre(Problem::kHex, 0u, 5u));
  EXPECT_FALSE(read_json_escape(R"(\u123)").is_known());
}

TEST(JsonEscape, OfHalfAPairLeavesWhatFollowsAlone) {
  for (const char* text :
       {R"(\ud800)", R"(\ud800x)", R"(\ud800\n)", R"(\ud800\u0041)", R"(\ud800\ud800)", R"(\ud800\u12)"}) {
    const JsonEscape half = read_json_escape(text);
    EXPECT_THAT(half, FieldsAre(Problem::kHalf, 0xD800u, 6u)) << text;
    EXPECT_TRUE(half.is_known());
    EXPECT_EQ(half.forgiven(), 0xFFFDu);
  }
  EXPECT_THAT(read_json_escape(R"(\udc00\ud800)"), FieldsAre(Problem::kHalf, 0xDC00u, 6u)) << "the wrong way round";
}

}  // namespace
}  // namespace sunup

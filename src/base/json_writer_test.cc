#include "base/json_writer.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <nlohmann/json.hpp>

namespace sunup {
namespace {

using namespace std::string_view_literals;

constexpr JsonEscapes kAll[] = {JsonEscapes::kMinimal, JsonEscapes::kText, JsonEscapes::kHtml};

TEST(JsonString, EscapesWhatJsonDemands) {
  for (const JsonEscapes escapes : kAll) {
    EXPECT_EQ(json_string("a\"b\\c\b\f\n\r\t\x01\x1f/\x7f", escapes),
              "\"a\\\"b\\\\c\\b\\f\\n\\r\\t\\u0001\\u001f/\x7f\"");
    EXPECT_EQ(json_string(std::string_view("\0", 1), escapes), R"("\u0000")");
  }
}

TEST(JsonString, EscapesMoreIfAskedTo) {
  constexpr std::string_view kOdd = "<a> & \u2028\u2029\u202a\u00e9\U0001F305";
  EXPECT_EQ(json_string(kOdd, JsonEscapes::kMinimal), "\"<a> & \u2028\u2029\u202a\u00e9\U0001F305\"");
  EXPECT_EQ(json_string(kOdd, JsonEscapes::kText), "\"<a> & \\u2028\\u2029\u202a\u00e9\U0001F305\"");
  EXPECT_EQ(json_string(kOdd, JsonEscapes::kHtml), "\"\\u003ca\\u003e \\u0026 \\u2028\\u2029\u202a\u00e9\U0001F305\"");
}

TEST(JsonString, ReplacesEachByteThatIsNotUtf8) {
  for (const JsonEscapes escapes : {JsonEscapes::kText, JsonEscapes::kHtml}) {
    EXPECT_EQ(json_string("a\xff\xfe"
                          "b\xe2\x80",
                          escapes),
              R"("a\ufffd\ufffdb\ufffd\ufffd")");
    EXPECT_EQ(json_string("\xed\xa0\x80", escapes), R"("\ufffd\ufffd\ufffd")") << "a surrogate is not UTF-8";
    EXPECT_EQ(json_string("\xc0\xaf", escapes), R"("\ufffd\ufffd")") << "nor is an overlong form";
  }
  EXPECT_EQ(json_string("\xff", JsonEscapes::kMinimal), "\"\xff\"");
}

// The output of json.Marshal of Go 1.26 for the same bytes.
TEST(JsonString, IsWhatGoWrites) {
  EXPECT_EQ(json_string("\"\\\b\f\n\r\t\0\x1f\x7f<>&\u2028\u2029\u00e9\U0001F600\xff\xe2\x80"sv, JsonEscapes::kHtml),
            "\"\\\"\\\\\\b\\f\\n\\r\\t\\u0000\\u001f\x7f\\u003c\\u003e\\u0026\\u2028\\u2029\u00e9\U0001F600"
            "\\ufffd\\ufffd\\ufffd\"");
}

RC_GTEST_PROP(JsonString, OfAnyAsciiTextReadsBack, ()) {
  const auto text = *rc::gen::container<std::string>(rc::gen::inRange<char>(0, 127));
  for (const JsonEscapes escapes : kAll)
    RC_ASSERT(nlohmann::json::parse(json_string(text, escapes)).get<std::string>() == text);
}

TEST(JsonWriter, PutsOneMemberOrItemOnALineAndKeepsEmptyOnesTogether) {
  JsonWriter json({.indent = 4});
  json.begin_object();
  json.key("list");
  json.begin_array();
  json.text("a");
  json.number(-1);
  json.end_array();
  json.key("empty");
  json.begin_object();
  json.end_object();
  json.key("none");
  json.begin_array();
  json.end_array();
  json.key("on");
  json.boolean(true);
  json.end_object();
  EXPECT_EQ(std::move(json).take(), R"({
    "list": [
        "a",
        -1
    ],
    "empty": {},
    "none": [],
    "on": true
})");
}

TEST(JsonWriter, WritesInOneLineWithoutIndent) {
  JsonWriter json;
  json.begin_object();
  json.member("a", "<");
  json.key("b");
  json.begin_array();
  json.number(1);
  json.boolean(false);
  json.begin_object();
  json.end_object();
  json.end_array();
  json.raw_member("c", "null");
  json.end_object();
  EXPECT_EQ(std::move(json).take(), R"({"a":"\u003c","b":[1,false,{}],"c":null})");
}

}  // namespace
}  // namespace sunup

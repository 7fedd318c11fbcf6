#include "render/json_writer.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <nlohmann/json.hpp>

namespace sunup::render {
namespace {

std::string as_json(std::string_view text) {
  std::string out;
  append_json_string(out, text);
  return out;
}

TEST(JsonString, EscapesWhatJsonDemands) {
  EXPECT_EQ(as_json("a\"b\\c\b\f\n\r\t\x01\x1f"), R"("a\"b\\c\b\f\n\r\t\u0001\u001f")");
}

TEST(JsonString, EscapesWhatWouldBreakOutOfHtml) {
  EXPECT_EQ(as_json("<a> & \xE2\x80\xA8\xE2\x80\xA9"), R"("\u003ca\u003e \u0026 \u2028\u2029")");
}

TEST(JsonString, LeavesEverythingElseAsItIs) {
  EXPECT_EQ(as_json("/ \x7f \xE2\x82\xAC \xF0\x9F\x8C\x85"), "\"/ \x7f \xE2\x82\xAC \xF0\x9F\x8C\x85\"");
}

RC_GTEST_PROP(JsonString, OfAnyAsciiTextReadsBack, ()) {
  const auto text = *rc::gen::container<std::string>(rc::gen::inRange<char>(0, 127));
  RC_ASSERT(nlohmann::json::parse(as_json(text)).get<std::string>() == text);
}

TEST(JsonWriter, PutsOneMemberOrItemOnALineAndKeepsEmptyOnesTogether) {
  JsonWriter json(4);
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

}  // namespace
}  // namespace sunup::render

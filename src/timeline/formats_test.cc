// The formats that other programs read, checked against the rules their makers publish: the Trace Event Format, and the
// JSON encoding of OTLP (ids in hex of fixed length, 64-bit numbers as decimal strings, enums as numbers).
#include "timeline/formats.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "timeline/build.h"
#include "timeline/run_record.h"

namespace sunup::timeline {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::MatchesRegex;
using testing::Not;

// A run of `count` steps, each needing the one before and the one ten before it.
Timeline made(int count, const std::string& text = "not done before") {
  json head{{"sunup", "run record"},
            {"v", 1},
            {"boot", "b0"},
            {"t", 1'000'000'000},
            {"wall", 1'794'769'175'000'000'000},
            {"version", "1"},
            {"mode", "native"}};
  std::string record = head.dump() + "\n";
  const auto line = [&record](json object) { record += object.dump() + "\n"; };
  for (int i = 0; i < count; ++i) {
    json needs = json::array();
    if (i > 0) needs.push_back("step" + std::to_string(i - 1));
    if (i > 9) needs.push_back("step" + std::to_string(i - 10));
    line({{"t", 1'000'000'000}, {"e", "declared"}, {"step", "step" + std::to_string(i)}, {"needs", needs}});
  }
  for (int64_t i = 0; i < count; ++i) {
    const std::string name = "step" + std::to_string(i);
    const int64_t at = 1'000'000'000 + i * 1'000'000;
    line({{"t", at}, {"e", "started"}, {"step", name}, {"attempt", 1}, {"text", text}});
    if (i % 100 == 7)
      line({{"t", at + 1000},
            {"e", "retry"},
            {"step", name},
            {"attempt", 1},
            {"text", "again in 1ms"},
            {"error", text}});
    line({{"t", at + 900'000}, {"e", "ended"}, {"step", name}, {"attempt", 1}});
  }
  line({{"t", 1'000'000'000 + int64_t{count} * 1'000'000}, {"e", "run ended"}});
  Sources sources;
  sources.run_record = record;
  auto built = build(sources);
  EXPECT_TRUE(built.ok());
  return std::move(*built);
}

TEST(Perfetto, KeepsTheRulesOfTheTraceEventFormat) {
  const json trace = json::parse(as_perfetto(made(30)));
  ASSERT_TRUE(trace["traceEvents"].is_array());
  EXPECT_THAT(trace["displayTimeUnit"].get<std::string>(), testing::AnyOf("ms", "ns"));
  std::map<int, std::vector<std::pair<double, double>>> threads;
  for (const json& event : trace["traceEvents"]) {
    const std::string phase = event.at("ph");
    EXPECT_TRUE(event.at("name").is_string());
    EXPECT_TRUE(event.at("pid").is_number_integer());
    EXPECT_TRUE(event.at("tid").is_number_integer());
    if (event.contains("args")) {
      EXPECT_TRUE(event["args"].is_object());
    }
    if (phase == "M") {
      EXPECT_THAT(event["name"].get<std::string>(), testing::AnyOf("process_name", "thread_name"));
      EXPECT_TRUE(event["args"]["name"].is_string());
      continue;
    }
    EXPECT_TRUE(event.at("ts").is_number());
    EXPECT_TRUE(event.at("cat").is_string());
    if (phase == "X") {
      EXPECT_GE(event.at("dur").get<double>(), 0);
      threads[event["tid"]].emplace_back(event["ts"], event["ts"].get<double>() + event["dur"].get<double>());
    } else {
      EXPECT_EQ(phase, "i");
      EXPECT_THAT(event.at("s").get<std::string>(), testing::AnyOf("g", "p", "t"));
    }
  }
  // Complete events of one thread must nest; ours do not even overlap.
  for (auto& [thread, spans] : threads) {
    std::ranges::sort(spans);
    for (size_t i = 1; i < spans.size(); ++i) EXPECT_LE(spans[i - 1].second, spans[i].first + 1e-6) << thread;
  }
}

void check_attributes(const json& attributes) {
  ASSERT_TRUE(attributes.is_array());
  std::set<std::string> keys;
  for (const json& attribute : attributes) {
    EXPECT_TRUE(keys.insert(attribute.at("key")).second) << "keys must be unique";
    ASSERT_EQ(attribute.at("value").size(), 1u) << "one of the value's kinds";
    const std::string kind = attribute["value"].begin().key();
    EXPECT_THAT(kind, testing::AnyOf("stringValue", "boolValue", "arrayValue"));
    if (kind == "arrayValue") {
      EXPECT_TRUE(attribute["value"]["arrayValue"].at("values").is_array());
    }
  }
}

TEST(Otlp, KeepsTheRulesOfItsJsonEncoding) {
  const json request = json::parse(as_otlp(made(30)));
  ASSERT_EQ(request.size(), 1u);
  std::set<std::string> ids;
  std::set<std::string> parents;
  for (const json& resource : request.at("resourceSpans")) {
    check_attributes(resource.at("resource").at("attributes"));
    for (const json& scope : resource.at("scopeSpans")) {
      EXPECT_TRUE(scope.at("scope").at("name").is_string());
      for (const json& span : scope.at("spans")) {
        EXPECT_THAT(span.at("traceId").get<std::string>(), MatchesRegex("[0-9a-f]{32}"));
        EXPECT_THAT(span.at("spanId").get<std::string>(), MatchesRegex("[0-9a-f]{16}"));
        EXPECT_NE(span["traceId"], std::string(32, '0'));
        EXPECT_NE(span["spanId"], std::string(16, '0'));
        EXPECT_TRUE(ids.insert(span["spanId"]).second) << "span ids must be unique";
        if (span.contains("parentSpanId")) parents.insert(span["parentSpanId"].get<std::string>());
        EXPECT_FALSE(span.at("name").get<std::string>().empty());
        EXPECT_EQ(span.at("kind"), 1) << "SPAN_KIND_INTERNAL, as a number";
        for (const char* time : {"startTimeUnixNano", "endTimeUnixNano"})
          EXPECT_THAT(span.at(time).get<std::string>(), MatchesRegex("[0-9]{19}"));
        EXPECT_LE(std::stoll(span["startTimeUnixNano"].get<std::string>()),
                  std::stoll(span["endTimeUnixNano"].get<std::string>()));
        check_attributes(span.at("attributes"));
        for (const json& event : span.at("events")) {
          EXPECT_THAT(event.at("timeUnixNano").get<std::string>(), MatchesRegex("[0-9]{19}"));
          EXPECT_TRUE(event.at("name").is_string());
          check_attributes(event.at("attributes"));
        }
        EXPECT_THAT(span.at("status").at("code").get<int>(), testing::AllOf(testing::Ge(0), testing::Le(2)));
      }
    }
  }
  for (const std::string& parent : parents) EXPECT_TRUE(ids.contains(parent));
  EXPECT_EQ(as_otlp(made(30)), as_otlp(made(30))) << "sending a run twice must not make it two";
}

TEST(Html, NeedsNoNetworkAndRunsNothingOfTheData) {
  const std::string page = as_html(made(3, "</script><script>alert(1)</script> <img src=x onerror=alert(1)> \" ' &"));
  EXPECT_THAT(page, Not(HasSubstr("<script>alert")));
  EXPECT_THAT(page, Not(HasSubstr("<img")));
  EXPECT_THAT(page, HasSubstr("default-src 'none'"));
  const std::string plain = as_html(made(3));
  for (const char* link : {"src=", "href=", "url(", "@import", "http://", "https://", "fetch(", "XMLHttpRequest"})
    EXPECT_THAT(plain, Not(HasSubstr(link))) << link;
}

TEST(Svg, IsWellFormedWhateverTheNamesAre) {
  const std::string svg = as_svg(made(3, "a < b & \"c\" \x01"));
  EXPECT_THAT(svg, HasSubstr("a &lt; b &amp; &quot;c&quot;"));
  EXPECT_THAT(svg, Not(HasSubstr("\x01")));
}

// What is quadratic takes minutes here; formats_bench.cc has the figures.
TEST(Formats, TenThousandSpansAreShownInEveryFormat) {
  const Timeline timeline = made(10'000);
  ASSERT_EQ(timeline.spans.size(), 10'000u);
  EXPECT_GT(timeline.chain.size(), 10'000u);
  for (size_t i = 0; i < std::size(kFormatNames); ++i) {
    const std::string shown = show(timeline, static_cast<Format>(i));
    EXPECT_THAT(shown, HasSubstr("step9999")) << kFormatNames[i];
  }
}

TEST(Text, MarksTheChainAndNamesWhatWasWaitedFor) {
  const std::string text = as_text(made(3));
  EXPECT_THAT(text, HasSubstr("*   - step0 done: +0.001s (900µs)"));
  EXPECT_THAT(text, HasSubstr("critical chain: controller started to provision complete, 3ms"));
}

}  // namespace
}  // namespace sunup::timeline

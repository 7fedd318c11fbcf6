#include "timeline/formats.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/utf8.h"
#include "timeline/budget.h"
#include "timeline/compare.h"
#include "timeline/shapes.h"
#include "timeline/test_run.h"

namespace sunup::timeline {
namespace {

using testing::HasSubstr;
using testing::Not;

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

bool is_text(std::string_view bytes) {
  while (!bytes.empty()) {
    const Rune rune = first_rune(bytes);
    if (!rune.valid() || (rune.code < 0x20 && rune.code != '\n')) return false;
    bytes.remove_prefix(rune.size);
  }
  return true;
}

TEST(Pictures, AreTextWhereverALongNameIsCutAndWhateverItsBytesAre) {
  for (const char* name : {"é", "a€", "ab\U0001F600", "\xff\xc3", "\x01"}) {
    for (int length = 1; length < 60; ++length) {
      Timeline timeline = made(3);
      std::string longer(static_cast<size_t>(length % 7), 'x');
      for (int i = 0; i < length; ++i) longer += name;
      timeline.node = timeline.error = timeline.failed_step = longer;
      for (Point& point : timeline.points) point.label = longer;
      for (Span& span : timeline.spans) span.name = span.error = longer;
      EXPECT_TRUE(is_text(as_svg(timeline))) << length;
      EXPECT_TRUE(is_text(as_html(timeline))) << length;
    }
  }
  EXPECT_THAT(as_svg(made(3, "\uffff")), Not(HasSubstr("\uffff"))) << "XML has none";
  EXPECT_EQ(shortened("éßø", 3), "éßø");
  EXPECT_EQ(shortened("éßøx", 3), "éß…");
  EXPECT_EQ(shortened("", 3), "");
}

// formats_bench.cc has the figures, and how they grow.
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

TEST(Text, NothingOfTheNodeActsUponTheTerminalOrForgesALine) {
  const std::string evil = "x\n* kubelet started: +0.1s\r\x1b[31m\u009b2J\u202e\x7f\xff";
  Timeline timeline = made(3);
  timeline.node = timeline.exit_code = timeline.mode = timeline.boot = timeline.failed_step = timeline.error = evil;
  timeline.zero_label = evil;
  timeline.state = RunState::kFailed;
  timeline.waiting_for = 0;
  for (Point& point : timeline.points) point.label += evil;
  for (Span& span : timeline.spans) {
    span.name += evil;
    span.error = evil;
  }
  for (Link& link : timeline.chain) link.waited_for += evil;
  timeline.sources.push_back({.name = evil, .found = false, .detail = evil});
  timeline.missing.push_back({.label = evil, .why = evil});
  timeline.warnings.push_back(evil);
  const Group group{.name = evil, .runs = {run_of(evil, timeline)}};
  Budget budget{.zero = "", .lines = {{"node.ready", 1}}};
  for (const std::string& text :
       {as_text(timeline), comparison_text(compare({group, group})), check_budget(budget, group).text}) {
    EXPECT_THAT(text, HasSubstr("x\\n* kubelet started: +0.1s\\r\\x1b[31m\\u009b2J\\u202e\\x7f\\xff"));
    EXPECT_THAT(text, Not(HasSubstr("\n* kubelet started: +0.1s\\r")));
    for (const char* bad : {"\x1b", "\u009b", "\u202e", "\x7f", "\xff", "\r"}) EXPECT_THAT(text, Not(HasSubstr(bad)));
  }
}

TEST(OtlpReply, TellsHowManySpansWereRefusedAndWhy) {
  for (const char* body : {R"({"partialSuccess":{"rejectedSpans":"5","errorMessage":"too many"}})",
                           R"({"partialSuccess":{"rejectedSpans":5,"errorMessage":"too many"}})"}) {
    const auto refusal = refusal_of(body);
    ASSERT_TRUE(refusal) << body;
    EXPECT_EQ(refusal->spans, 5);
    EXPECT_EQ(refusal->message, "too many");
  }
  EXPECT_EQ(refusal_of(R"({"partialSuccess":{"errorMessage":"soon deprecated"}})")->spans, 0);
}

TEST(OtlpReply, SaysNothingWhereAllWasTaken) {
  for (const char* body :
       {"", "{}", "ok", "[]", R"({"partialSuccess":{}})", R"({"partialSuccess":null})",
        R"({"partialSuccess":{"rejectedSpans":"0"}})", R"({"partialSuccess":{"rejectedSpans":[1]}})"})
    EXPECT_FALSE(refusal_of(body)) << body;
}

}  // namespace
}  // namespace sunup::timeline

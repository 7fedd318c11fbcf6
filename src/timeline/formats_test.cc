#include "timeline/formats.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "timeline/testing_run.h"

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

}  // namespace
}  // namespace sunup::timeline

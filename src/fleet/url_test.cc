#include "fleet/url.h"

#include <gtest/gtest.h>

namespace sunup::fleet {
namespace {

TEST(Url, ReadsHostPortAndPath) {
  const auto url = parse_url("https://cl-1.hcp.eastus.azmk8s.io:6443/version?x=1");
  ASSERT_TRUE(url);
  EXPECT_EQ(url->host, "cl-1.hcp.eastus.azmk8s.io");
  EXPECT_EQ(url->port, 6443);
  EXPECT_EQ(url->path, "/version?x=1");
  EXPECT_EQ(url->host_header(), "cl-1.hcp.eastus.azmk8s.io:6443");
}

TEST(Url, KnowsTheSchemesOwnPort) {
  EXPECT_EQ(parse_url("https://a")->port, 443);
  EXPECT_EQ(parse_url("HTTP://a/")->port, 80);
  EXPECT_EQ(parse_url("https://[fd00::1]")->host_header(), "[fd00::1]");
}

TEST(Url, RefusesWhatIsNotAnAbsoluteUrlWithAHost) {
  for (const char* text : {"", "a.b.c", "/path", "https://", "https:///x", "ftp://a", "https://a:99999", "https://a b"})
    EXPECT_FALSE(parse_url(text)) << text;
}

TEST(HostOf, TakesUrlsHostPortPairsAndBareNames) {
  EXPECT_EQ(host_of("https://a.b:443/x"), "a.b");
  EXPECT_EQ(host_of("a.b:443"), "a.b");
  EXPECT_EQ(host_of("a.b"), "a.b");
  EXPECT_EQ(host_of(""), "");
}

}  // namespace
}  // namespace sunup::fleet

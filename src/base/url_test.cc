#include "base/url.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace sunup {
namespace {

using testing::ElementsAre;

TEST(Url, PercentCodesAreDecodedAndOtherPercentSignsKept) {
  EXPECT_EQ(percent_decoded("p%40ss%2F"), "p@ss/");
  EXPECT_EQ(percent_decoded("100%"), "100%");
  EXPECT_EQ(percent_decoded("%4"), "%4");
  EXPECT_EQ(percent_decoded("%zz%41"), "%zzA");
}

TEST(Url, PercentCodesStandForWhatAUrlCannotHold) {
  EXPECT_EQ(percent_encoded("a-_.~ /\xff"), "a-_.~%20%2F%FF");
  EXPECT_EQ(percent_encoded("a-b.c", ""), "a%2Db%2Ec");
  EXPECT_EQ(percent_decoded(percent_encoded("100% \n+")), "100% \n+");
}

TEST(Url, APlusIsABlankInAQueryOnly) {
  EXPECT_EQ(percent_decoded("a+b%2Bc"), "a+b+c");
  EXPECT_EQ(query_decoded("a+b%2Bc%20d%"), "a b+c d%");
}

TEST(Url, IsSplitIntoItsParts) {
  const auto url = split_url("https://user:p@ss@[fd00::1]:6443/a?b=c@d#e");
  ASSERT_TRUE(url);
  EXPECT_EQ(url->scheme, "https");
  EXPECT_EQ(url->user, "user:p@ss");
  EXPECT_EQ(url->authority, "[fd00::1]:6443");
  EXPECT_EQ(url->host, "fd00::1");
  EXPECT_TRUE(url->bracketed);
  EXPECT_EQ(url->port, "6443");
  EXPECT_EQ(url->target, "/a?b=c@d#e");
  const auto bare = split_url("proxy:x?y");
  ASSERT_TRUE(bare);
  EXPECT_EQ(bare->scheme, "");
  EXPECT_EQ(bare->host, "proxy");
  EXPECT_EQ(bare->port, "x");
  EXPECT_EQ(bare->target, "?y");
  EXPECT_FALSE(split_url("http://h")->port);
  EXPECT_EQ(split_url("")->host, "");
  for (const char* text : {"http://[::1", "http://[::1]x", "http://[::1]]:1"}) EXPECT_FALSE(split_url(text)) << text;
}

TEST(Url, OfARequestHasHostPortAndTarget) {
  const auto url = parse_http_url("https://u:p%40@cl-1.hcp.eastus.azmk8s.io:6443/version?x=1");
  ASSERT_TRUE(url);
  EXPECT_TRUE(url->tls);
  EXPECT_EQ(url->host, "cl-1.hcp.eastus.azmk8s.io");
  EXPECT_EQ(url->port, 6443);
  EXPECT_EQ(url->target, "/version?x=1");
  EXPECT_EQ(url->authority, "cl-1.hcp.eastus.azmk8s.io:6443");
  EXPECT_EQ(url->host_header(), "cl-1.hcp.eastus.azmk8s.io:6443");
  EXPECT_EQ(url->credentials, "u:p@");
  EXPECT_EQ(parse_http_url("https://a")->port, 443);
  EXPECT_EQ(parse_http_url("HTTP://a/")->port, 80);
  EXPECT_EQ(parse_http_url("http://a?b")->target, "/?b");
  EXPECT_EQ(parse_http_url("https://[fd00::1]")->host_header(), "[fd00::1]");
  EXPECT_EQ(parse_http_url("http://a:80")->host_header(), "a");
}

TEST(Url, OfARequestIsAbsoluteAndHasAHost) {
  for (const char* text : {"", "a.b.c", "/path", "https://", "https:///x", "ftp://a", "https://a:99999", "https://a b",
                           "https://a:0", "https://a:", "https://a:1x", "https://[::1", "http://a\r\nb/"})
    EXPECT_FALSE(parse_http_url(text)) << text;
  const auto refused = parse_http_url("https://user:hunter2@h:x/?sig=hunter3");
  EXPECT_EQ(refused.error().what, "https://h:x/: 'x' is not a port");
}

TEST(Url, IsShownWithoutWhatCouldBeSecret) {
  EXPECT_EQ(shown_url("https://u:p@h:1/a@b?sig=x#y"), "https://h:1/a@b");
  EXPECT_EQ(shown_url("https://u:p@h"), "https://h");
  EXPECT_EQ(shown_url("u:p@h/a"), "h/a");
}

TEST(HostOf, TakesUrlsHostPortPairsAndBareNames) {
  EXPECT_EQ(host_of("https://a.b:443/x"), "a.b");
  EXPECT_EQ(host_of("a.b:443"), "a.b");
  EXPECT_EQ(host_of("a.b:0"), "a.b:0");
  EXPECT_EQ(host_of("a.b"), "a.b");
  EXPECT_EQ(host_of(""), "");
}

TEST(Url, OnlyWhatProxiesAndEndpointsBeginWithMakesAUrl) {
  for (const char* url : {"http://h", "HTTPS://h/p?q", "socks5://u:p@h:1080", "socks5h://h", "unix:///run/x.sock"})
    EXPECT_TRUE(is_url(url)) << url;
  for (const char* text : {"s3://9Zq", "abc://def", "://h", "xhttp://h", "http:/h", " http://h", "pa55 http://h", ""})
    EXPECT_FALSE(is_url(text)) << text;
}

TEST(Url, CredentialsArePasswordsAndSignatures) {
  EXPECT_THAT(url_credentials("https://user:p%40ss:w@host:8080/a?sv=2024-11-04&sig=abcdefghijklmnop%3D#x"),
              ElementsAre("p%40ss:w", "abcdefghijklmnop%3D"));
  EXPECT_THAT(url_credentials("https://h/a?x=short&Sig=HUNTER9&token=&key=k1&monkey=see"),
              ElementsAre("HUNTER9", "k1"));
  EXPECT_THAT(url_credentials("https://host:8080/path@v1?x=y"), ElementsAre());
  EXPECT_THAT(url_credentials("https://user@host/"), ElementsAre());
  EXPECT_THAT(url_credentials("https://user:@host/"), ElementsAre());
  EXPECT_THAT(url_credentials("https://ghp_0123456789abcdef@host/"), ElementsAre("ghp_0123456789abcdef"));
  EXPECT_THAT(url_credentials("https://ghp_0123456789abcdef:basic@host/"),
              ElementsAre("ghp_0123456789abcdef", "basic"));
  EXPECT_EQ(without_url_credentials("https://ghp_0123456789abcdef:basic@host/", "*"), "https://*:*@host/");
  EXPECT_THAT(url_credentials("no url: a@b"), ElementsAre());
  EXPECT_THAT(url_credentials("ends in ://"), ElementsAre());
}

TEST(Url, AnAddressOfIpv6StandsInBrackets) {
  EXPECT_EQ(url_host("fd00::1"), "[fd00::1]");
  EXPECT_EQ(url_host("[fd00::1]"), "[fd00::1]");
  EXPECT_EQ(url_host("10.0.0.1"), "10.0.0.1");
  EXPECT_EQ(url_host("a.example"), "a.example");
  EXPECT_EQ(without_brackets("[fd00::1]"), "fd00::1");
  EXPECT_EQ(without_brackets("a.example"), "a.example");
}

TEST(Url, OfTheSameServer) {
  for (const char* same : {"https://MyReg.example/token", "HTTPS://myreg.example:443/v2", "https://myreg.example"})
    EXPECT_TRUE(same_server("https://myreg.example/a", same)) << same;
  for (const char* other :
       {"http://myreg.example/a", "https://myreg.example:8443/a", "https://myreg.example.evil/a", "myreg.example", ""})
    EXPECT_FALSE(same_server("https://myreg.example/a", other)) << other;
  EXPECT_TRUE(is_https("HTTPS://h/"));
  EXPECT_FALSE(is_https("http://https/"));
}

TEST(Url, CredentialsAreFoundInsideOtherText) {
  const std::string command =
      "curl -x 'http://u:first@p:3128' https://u:second@h/?k; echo http://u:third@h://u:fourth@h";
  EXPECT_THAT(url_credentials(command), ElementsAre("first", "second", "third", "fourth"));
  EXPECT_EQ(without_url_credentials("a http://u:first@p b", "(secret)"), "a http://u:(secret)@p b");
  EXPECT_EQ(without_url_credentials("", "(secret)"), "");
}

// This would take hours if each scheme were examined together with all of the following text.
TEST(Url, CredentialsAreFoundInATextThatIsAllSchemes) {
  std::string text;
  for (int i = 0; i < 1'000'000; ++i) text += "://";
  EXPECT_THAT(url_credentials(text + "u:last@h"), ElementsAre("last"));
}

}  // namespace
}  // namespace sunup

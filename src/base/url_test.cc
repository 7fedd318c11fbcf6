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

TEST(Url, CredentialsAreFoundInsideOtherText) {
  const std::string command =
      "curl -x 'http://u:first@p:3128' https://u:second@h/?k; echo http://u:third@h://u:fourth@h";
  EXPECT_THAT(url_credentials(command), ElementsAre("first", "second", "third", "fourth"));
  EXPECT_EQ(without_url_credentials("a http://u:first@p b", "(secret)"), "a http://u:(secret)@p b");
  EXPECT_EQ(without_url_credentials("", "(secret)"), "");
}

// Would take hours if each scheme were looked at together with all that follows it.
TEST(Url, CredentialsAreFoundInATextThatIsAllSchemes) {
  std::string text;
  for (int i = 0; i < 1'000'000; ++i) text += "://";
  EXPECT_THAT(url_credentials(text + "u:last@h"), ElementsAre("last"));
}

}  // namespace
}  // namespace sunup

#include "render/result_service.h"

#include <gtest/gtest.h>

namespace sunup::render {
namespace {

constexpr char kCa[] = "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n";

TEST(ResultService, IsReadAsItWasWritten) {
  const auto service = make_result_service("https://sunup.example:8443/", kCa);
  ASSERT_TRUE(service) << service.error().what;
  EXPECT_EQ(service->url, "https://sunup.example:8443");
  const auto again = parse_result_service(to_json(*service));
  ASSERT_TRUE(again) << again.error().what;
  EXPECT_EQ(*again, *service);
}

TEST(ResultService, RefusesAnAddressToWhichATokenMustNotBeSent) {
  for (const char* url :
       {"", "sunup.example", "http://sunup.example", "https://user:secret@sunup.example", "https://sunup.example/?a=b",
        "https://sunup.example/#a", "https://sunup.example/a b", "https://sunup.example/\n", "https://"}) {
    const auto service = make_result_service(url, "");
    ASSERT_FALSE(service) << url;
    EXPECT_EQ(service.error().what.find("secret"), std::string::npos);
  }
}

TEST(ResultService, RefusesACaThatIsNone) {
  EXPECT_FALSE(make_result_service("https://sunup.example", "MIIB"));
  EXPECT_FALSE(make_result_service("https://sunup.example", kCa + std::string(kLongestResultServiceCa, ' ')));
  const auto with_key =
      make_result_service("https://sunup.example",
                          kCa + std::string("-----BEGIN EC PRIVATE KEY-----\nTUlJ\n-----END EC PRIVATE KEY-----\n"));
  ASSERT_FALSE(with_key);
  EXPECT_NE(with_key.error().what.find("private key"), std::string::npos);
  EXPECT_FALSE(parse_result_service(R"({"url":"http://sunup.example"})"));
  EXPECT_FALSE(parse_result_service("[]"));
  EXPECT_FALSE(parse_result_service("{"));
}

}  // namespace
}  // namespace sunup::render

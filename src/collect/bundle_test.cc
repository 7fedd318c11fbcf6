#include "collect/bundle.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zstd.h>

#include "base/base64.h"
#include "collect/scrub.h"
#include "collect/tar.h"

namespace sunup::collect {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr char kToken[] = "abcdef.0123456789abcdef";
constexpr char kClientSecret[] = "Pa55/word+of=a,principal";

std::string config() {
  return std::string(R"({"version":"v1","auth_config":{"service_principal_secret":")") + kClientSecret +
         R"("},"bootstrapping_config":{"tls_bootstrapping_token":")" + kToken + R"("}})";
}

std::string all_of(const Bundle& bundle) {
  std::string all;
  for (const auto& [name, text] : bundle.files) all += "== " + name + "\n" + text + "\n";
  return all;
}

TEST(Bundle, PlantedSecretsAreNowhere) {
  Material material;
  material.config = config();
  const std::string dirty = std::string("x=") + kClientSecret + " t=" + kToken + " b64=" + base64_encode(kClientSecret);
  material.sources.controller_log =
      "{\"time\":\"2026-11-15T23:50:26.377Z\",\"level\":\"INFO\",\"msg\":\"aks-node-controller "
      "started\",\"task\":\"Provision\"}\n"
      "{\"time\":\"2026-11-15T23:50:27Z\",\"level\":\"ERROR\",\"msg\":\"aks-node-controller failed\",\"error\":\"" +
      dirty + "\"}\n";
  material.sources.journal = dirty;
  material.sources.cloud_init_log = dirty;
  material.sources.provision_json = "{\"ExitCode\":\"1\",\"Error\":\"" + dirty + "\"}";
  material.sources.run_record = dirty;
  material.sources.units = dirty;
  material.sources.events.emplace_back("1.json", dirty);
  material.more_logs.emplace_back("cluster-provision.log", dirty);
  const Bundle bundle = make_bundle(std::move(material));
  const std::string all = all_of(bundle);
  EXPECT_THAT(all, Not(HasSubstr(kToken)));
  EXPECT_THAT(all, Not(HasSubstr(kClientSecret)));
  EXPECT_THAT(all, Not(HasSubstr(base64_encode(kClientSecret))));
  EXPECT_THAT(all, HasSubstr("[redacted]"));
  EXPECT_THAT(all, HasSubstr("== timeline.html"));
  EXPECT_THAT(all, HasSubstr("== config.json"));
}

TEST(Bundle, ConfigThatCannotBeReadIsLeftOut) {
  Material material;
  material.config = "{\"auth_config\": {\"service_principal_secret\": \"unheard-of\"";
  const Bundle bundle = make_bundle(std::move(material));
  EXPECT_THAT(all_of(bundle), Not(HasSubstr("unheard-of")));
  EXPECT_THAT(all_of(bundle), HasSubstr("left out: config.json"));
}

TEST(Bundle, IsATarThatUnpacksToTheSameBytes) {
  Bundle bundle;
  bundle.files.emplace_back("README.txt", "hello\n");
  bundle.files.emplace_back("events/1.json", std::string(1500, 'x'));
  const auto packed = pack(bundle, 1'794'000'000);
  ASSERT_TRUE(packed.ok());
  std::string plain(ZSTD_getFrameContentSize(packed->data(), packed->size()), '\0');
  ASSERT_EQ(ZSTD_decompress(plain.data(), plain.size(), packed->data(), packed->size()), plain.size());
  EXPECT_EQ(plain.size() % 512, 0u);
  EXPECT_EQ(plain.substr(0, 10), "README.txt");
  EXPECT_EQ(plain.substr(257, 5), "ustar");
  EXPECT_EQ(plain.substr(512, 6), "hello\n");
  EXPECT_EQ(plain.substr(1024, 13), "events/1.json");
  EXPECT_EQ(plain.substr(1024 + 124, 11), "00000002734") << "1500 in octal";
  EXPECT_EQ(plain.substr(plain.size() - 1024), std::string(1024, '\0'));
  EXPECT_EQ(*pack(bundle, 1'794'000'000), *packed) << "same input, same bytes";
}

TEST(Tar, LongNamesAreSplitAtASlash) {
  Tar tar(0);
  const std::string folder(120, 'd');
  EXPECT_TRUE(tar.add(folder + "/name", "x").ok());
  EXPECT_FALSE(tar.add(std::string(120, 'n'), "x").ok());
  EXPECT_FALSE(tar.add("", "x").ok());
  const std::string bytes = std::move(tar).finish();
  EXPECT_EQ(bytes.substr(0, 5), std::string("name\0", 5));
  EXPECT_EQ(bytes.substr(345, 120), folder);
}

TEST(Scrub, TakesOutWhatLooksLikeACredential) {
  EXPECT_EQ(scrub("token abcdef.0123456789abcdef."), "token abcdef.0123456789abcdef.") << "part of a longer name";
  EXPECT_EQ(scrub("token=abcdef.0123456789abcdef, next"), "token=[redacted], next");
  EXPECT_EQ(scrub("Authorization: Bearer abc.def-123 x"), "Authorization: Bearer [redacted] x");
  EXPECT_EQ(scrub("https://a.blob/x?sv=1&sig=ab%2Fcd%3D&se=2"), "https://a.blob/x?sv=1&sig=[redacted]&se=2");
  EXPECT_EQ(scrub("http://user:pass@proxy:3128/"), "http://user:[redacted]@proxy:3128/");
  EXPECT_EQ(scrub("k: -----BEGIN RSA PRIVATE KEY-----\nabc\n-----END RSA PRIVATE KEY-----\nrest"),
            "k: [redacted]\nrest");
  EXPECT_EQ(scrub("x eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiIxMjM0In0.c2lnbmF0dXJl y"), "x [redacted] y");
}

TEST(Scrub, LeavesLogsAlone) {
  for (const char* text : {"Starting kubelet.service - Kubelet...", "v1.20.2 sha256:0123456789abcdef", "10.224.0.1:443",
                           "-----BEGIN CERTIFICATE-----\nabc\n-----END CERTIFICATE-----", "bearer of bad news"})
    EXPECT_EQ(scrub(text), text);
}

}  // namespace
}  // namespace sunup::collect

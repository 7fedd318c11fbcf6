#include "render/node/ca_trust.h"

#include <gtest/gtest.h>

namespace sunup::render::node {
namespace {

Configuration with_both() {
  Configuration config;
  config.mutable_http_proxy_config()->set_http_proxy("http://p");
  config.mutable_http_proxy_config()->set_proxy_trusted_ca(" cHJv\r\neHk=\n");
  config.add_custom_ca_certs("b25l");
  config.add_custom_ca_certs("dHdv");
  return config;
}

std::vector<std::string> paths(Distro distro) {
  NodeFacts facts;
  facts.distro = distro;
  std::vector<std::string> found;
  const auto files = ca_trust_files(with_both(), facts);
  for (const auto& file : *files) found.push_back(file.path);
  return found;
}

TEST(CaTrust, EachDistroKeepsAnchorsInItsOwnPlace) {
  EXPECT_EQ(
      paths(Distro::kUbuntu2204),
      (std::vector<std::string>{"/usr/local/share/ca-certificates/proxyCA.crt", "/opt/certs/00000000000000cert0.crt",
                                "/usr/local/share/ca-certificates/certs/aks-custom-00000000000000cert0.crt",
                                "/opt/certs/00000000000000cert1.crt",
                                "/usr/local/share/ca-certificates/certs/aks-custom-00000000000000cert1.crt"}));
  EXPECT_EQ(paths(Distro::kFlatcar)[0], "/etc/ssl/certs/proxyCA.pem");
  EXPECT_EQ(paths(Distro::kFlatcar)[2], "/etc/ssl/certs/aks-custom-00000000000000cert0.pem");
  EXPECT_EQ(paths(Distro::kAzureLinux3)[0], "/usr/share/pki/ca-trust-source/anchors/proxyCA.crt");
  EXPECT_EQ(paths(Distro::kAcl)[2], "/etc/pki/ca-trust/source/anchors/aks-custom-00000000000000cert0.crt");
}

TEST(CaTrust, CertificatesAreDecoded) {
  const auto files = ca_trust_files(with_both(), {});
  EXPECT_EQ((*files)[0].content, "proxy");
  EXPECT_EQ((*files)[3].content, "two");
}

TEST(CaTrust, AProxyCaNeedsAProxy) {
  Configuration config;
  config.mutable_http_proxy_config()->set_proxy_trusted_ca("eA==");
  EXPECT_TRUE(ca_trust_files(config, {})->empty());
  EXPECT_TRUE(ca_update_command(config, {}).empty());
}

TEST(CaTrust, OneThatDoesNotDecodeIsNamedAndHasItsExitCode) {
  Configuration config;
  config.add_custom_ca_certs("b25l");
  config.add_custom_ca_certs("???");
  const auto files = ca_trust_files(config, {});
  ASSERT_FALSE(files);
  EXPECT_EQ(files.error().code, 161);
  EXPECT_EQ(files.error().what, "custom_ca_certs[1] is neither base64 nor PEM");
}

TEST(CaTrust, TheToolIsTheDistributions) {
  NodeFacts facts;
  facts.distro = Distro::kUbuntu2404;
  EXPECT_EQ(ca_update_command(with_both(), facts), (std::vector<std::string>{"update-ca-certificates", "-f"}));
  facts.distro = Distro::kAzureLinux3;
  EXPECT_EQ(ca_update_command(with_both(), facts), (std::vector<std::string>{"update-ca-trust"}));
}

TEST(CaTrust, OtherGenerationsAreStale) {
  const std::vector<std::string> names = {"aks-custom-00000000000000cert0.crt", "aks-custom-20250101000000cert0.crt",
                                          "aks-custom-mine.crt", "other.crt"};
  EXPECT_EQ(stale_custom_certificates(names, with_both(), {}),
            (std::vector<std::string>{"aks-custom-20250101000000cert0.crt"}));
  EXPECT_EQ(stale_custom_certificates(names, {}, {}).size(), 2U);
}

}  // namespace
}  // namespace sunup::render::node

#include "render/node/proxy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace sunup::render::node {
namespace {

Configuration with(const char* http, const char* https, std::vector<const char*> names = {}) {
  Configuration config;
  config.mutable_http_proxy_config()->set_http_proxy(http);
  config.mutable_http_proxy_config()->set_https_proxy(https);
  for (const char* name : names) config.mutable_http_proxy_config()->add_no_proxy_entries(name);
  return config;
}

const NodeFile* find(const NodeFiles& files, std::string_view path) {
  for (const auto& file : files)
    if (file.path == path) return &file;
  return nullptr;
}

TEST(ProxyFiles, NamesWithoutAProxyAreNotOne) {
  EXPECT_TRUE(proxy_files(with("", "", {"localhost"}), {})->empty());
}

TEST(ProxyFiles, AllFourTellTheSame) {
  const auto files = proxy_files(with("http://p:3128", "https://p:3129", {"localhost", "10.0.0.0/8"}), {});
  ASSERT_EQ(files->size(), 4U);
  EXPECT_EQ(
      find(*files, "/etc/environment")->content,
      "HTTP_PROXY=http://p:3128\nhttp_proxy=http://p:3128\nHTTPS_PROXY=https://p:3129\nhttps_proxy=https://p:3129\n"
      "NO_PROXY=localhost,10.0.0.0/8\nno_proxy=localhost,10.0.0.0/8\n");
  EXPECT_EQ(find(*files, "/etc/environment")->mode, 0644U);
  EXPECT_EQ(find(*files, "/etc/apt/apt.conf.d/95proxy")->content,
            "Acquire::http::proxy \"http://p:3128\";\nAcquire::https::proxy \"https://p:3129\";\n");
  EXPECT_EQ(
      find(*files, "/etc/systemd/system.conf.d/proxy.conf")->content,
      "[Manager]\nDefaultEnvironment=\"HTTP_PROXY=http://p:3128\"\nDefaultEnvironment=\"http_proxy=http://p:3128\"\n"
      "DefaultEnvironment=\"HTTPS_PROXY=https://p:3129\"\nDefaultEnvironment=\"https_proxy=https://p:3129\"\n"
      "DefaultEnvironment=\"NO_PROXY=localhost,10.0.0.0/8\"\nDefaultEnvironment=\"no_proxy=localhost,10.0.0.0/8\"\n");
  EXPECT_EQ(find(*files, "/etc/systemd/system/kubelet.service.d/10-httpproxy.conf")->content,
            "[Service]\nEnvironmentFile=/etc/environment\n");
}

TEST(ProxyFiles, AptsIsOnlyForDebs) {
  NodeFacts facts;
  facts.distro = Distro::kAzureLinux3;
  EXPECT_EQ(find(*proxy_files(with("http://p", ""), facts), "/etc/apt/apt.conf.d/95proxy"), nullptr);
}

TEST(ProxyFiles, WithAPasswordOnlyRootReadsThem) {
  for (const char* url : {"http://u:p@proxy:3128", "u:p@proxy:3128", "http://u@proxy/"}) {
    const auto files = proxy_files(with(url, ""), {});
    for (const char* path :
         {"/etc/environment", "/etc/systemd/system.conf.d/proxy.conf", "/etc/apt/apt.conf.d/95proxy"}) {
      EXPECT_EQ(find(*files, path)->mode, 0600U) << path;
      EXPECT_TRUE(find(*files, path)->secret) << path;
    }
  }
  EXPECT_FALSE(proxy_has_credentials(with("http://proxy/a@b", "")));
}

TEST(ProxyFiles, AValueCannotBreakOutOfItsLine) {
  EXPECT_FALSE(proxy_files(with("http://p\"; evil", ""), {}));
  EXPECT_FALSE(proxy_files(with("http://p\nX=1", ""), {}));
  EXPECT_THAT(proxy_files(with("http://user:hunter2@p\"", ""), {}).error().what,
              testing::Not(testing::HasSubstr("hunter2")));
}

TEST(EnvironmentWithProxy, OldValuesGoAndOtherLinesStay) {
  const Configuration config = with("http://new", "");
  const std::string once = environment_with_proxy(
      "PATH=\"/usr/bin\"\nHTTP_PROXY=http://old\nexport http_proxy=old\nhttps_proxy=keep", config);
  EXPECT_EQ(once, "PATH=\"/usr/bin\"\nhttps_proxy=keep\nHTTP_PROXY=http://new\nhttp_proxy=http://new\n");
  EXPECT_EQ(environment_with_proxy(once, config), once);
}

TEST(ProxyFor, IsByTheSchemeAndNotForTheExceptions) {
  Configuration config;
  EXPECT_EQ(proxy_for(config, "https://a.example/"), "");
  auto& proxy = *config.mutable_http_proxy_config();
  proxy.set_http_proxy("plain:3128");
  proxy.set_https_proxy("http://secure:3128");
  for (const char* entry : {"localhost", ".internal.example", "mcr.microsoft.com", "10.0.0.1"})
    proxy.add_no_proxy_entries(entry);
  EXPECT_EQ(proxy_for(config, "https://a.example/x?y"), "http://secure:3128");
  EXPECT_EQ(proxy_for(config, "http://a.example:8080/x"), "http://plain:3128");
  for (const char* direct :
       {"https://mcr.microsoft.com/v2/", "https://eastus.mcr.microsoft.com/v2/", "http://a.internal.example:80/",
        "https://internal.example", "http://10.0.0.1/", "http://localhost:5000/"})
    EXPECT_EQ(proxy_for(config, direct), "") << direct;
  EXPECT_NE(proxy_for(config, "https://notmcr.microsoft.com/"), "");
  proxy.add_no_proxy_entries("*");
  EXPECT_EQ(proxy_for(config, "https://a.example/"), "");
}

}  // namespace
}  // namespace sunup::render::node

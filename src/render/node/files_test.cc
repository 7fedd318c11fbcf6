#include "render/node/files.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace sunup::render::node {
namespace {

Configuration minimal() {
  Configuration config;
  config.set_kubernetes_version("1.34.1");
  config.set_kubernetes_ca_cert("Y2E=");
  config.mutable_api_server_config()->set_api_server_name("api");
  config.mutable_bootstrapping_config()->set_tls_bootstrapping_token("abcdef.0123456789abcdef");
  config.mutable_auth_config()->set_service_principal_secret("c2VjcmV0");
  config.mutable_http_proxy_config()->set_https_proxy("http://user:hunter2@proxy:3128");
  return config;
}

TEST(NodeFiles, AreSortedAndNoTwoConcernsWriteTheSameFile) {
  const auto files = node_files(minimal(), golden_image(Distro::kUbuntu2204));
  ASSERT_TRUE(files) << files.error().what;
  std::set<std::string> paths;
  for (const auto& file : *files) {
    EXPECT_TRUE(paths.empty() || *paths.rbegin() < file.path) << file.path;
    EXPECT_TRUE(file.path.starts_with('/'));
    paths.insert(file.path);
  }
}

TEST(NodeFiles, NothingThatOthersCanReadHoldsACredential) {
  Configuration config = minimal();
  config.mutable_kubelet_config()->set_kubelet_client_key("a2V5");
  const auto files = node_files(config, golden_image(Distro::kUbuntu2204));
  size_t holding = 0;
  for (const auto& file : *files) {
    const bool holds = file.content.find("0123456789abcdef") != std::string::npos ||
                       file.content.find("hunter2") != std::string::npos ||
                       file.content.find("\"secret\"") != std::string::npos;
    holding += holds ? 1 : 0;
    if (!holds && !file.secret) continue;
    EXPECT_TRUE(file.secret) << file.path;
    EXPECT_EQ(file.mode, 0600U) << file.path;
  }
  EXPECT_EQ(holding, 5U);  // azure.json, bootstrap-kubeconfig and three files of the proxy
}

TEST(NodeFiles, PreparingAnImageWritesNothingOfACluster) {
  Configuration config = minimal();
  config.set_pre_provision_only(true);
  const auto files = node_files(config, golden_image(Distro::kUbuntu2204));
  for (const auto& file : *files) {
    EXPECT_FALSE(file.path.starts_with("/etc/kubernetes/")) << file.path;
    EXPECT_FALSE(file.path.starts_with("/var/lib/kubelet/")) << file.path;
    EXPECT_FALSE(file.path.starts_with("/etc/default/")) << file.path;
  }
}

TEST(NodeFiles, ANodeFromAPreparedImageGetsTheRestAndWhatMayBeStale) {
  NodeFacts facts = golden_image(Distro::kUbuntu2204);
  facts.kernel_release = "5.15.0-1000-azure";
  const auto paths = [&facts] {
    std::set<std::string> found;
    const auto files = node_files(minimal(), facts);
    for (const auto& file : *files) found.insert(file.path);
    return found;
  };
  const std::set<std::string> whole = paths();
  facts.base_prep_done = true;
  const std::set<std::string> second = paths();
  EXPECT_TRUE(second.contains("/etc/kubernetes/azure.json"));
  EXPECT_TRUE(second.contains("/etc/systemd/system/kubelet.service.d/10-containerd-base-flag.conf"));
  EXPECT_TRUE(second.contains("/etc/modprobe.d/disable-esp4.conf"));
  EXPECT_FALSE(second.contains("/etc/containerd/config.toml"));
  EXPECT_TRUE(std::includes(whole.begin(), whole.end(), second.begin(), second.end()));
}

TEST(NodeFiles, AnErrorSaysWhichConcernItIsAbout) {
  Configuration config = minimal();
  config.set_kubernetes_ca_cert("???");
  EXPECT_EQ(node_files(config, golden_image(Distro::kUbuntu2204)).error().what,
            "certificates: kubernetes_ca_cert is neither base64 nor PEM");
}

TEST(NodeLinks, FollowTheDistribution) {
  EXPECT_EQ(node_links({}, golden_image(Distro::kUbuntu2404)).front().path, "/etc/resolv.conf");
  EXPECT_TRUE(node_links({}, golden_image(Distro::kAzureLinux3)).empty());
  EXPECT_EQ(node_links({}, golden_image(Distro::kFlatcar)).size(), 2U);
  EXPECT_EQ(node_links({}, golden_image(Distro::kAcl)).front().target, "/dev/null");
}

TEST(NodeRemovals, TheSecureBootstrapClientGoesUnlessItIsUsed) {
  const std::string client = "/opt/bin/aks-secure-tls-bootstrap-client";
  auto removals = node_removals({}, golden_image(Distro::kUbuntu2404));
  EXPECT_NE(std::find(removals.begin(), removals.end(), client), removals.end());
  Configuration config;
  config.mutable_bootstrapping_config()->set_bootstrapping_auth_method(
      aksnodeconfig::v1::BOOTSTRAPPING_AUTH_METHOD_SECURE_TLS_BOOTSTRAPPING);
  removals = node_removals(config, golden_image(Distro::kUbuntu2404));
  EXPECT_EQ(std::find(removals.begin(), removals.end(), client), removals.end());
}

}  // namespace
}  // namespace sunup::render::node

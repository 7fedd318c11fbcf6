#include "render/node/registry.h"

#include <gtest/gtest.h>

namespace sunup::render::node {
namespace {

Configuration with_provider() {
  Configuration config;
  auto& flags = *config.mutable_kubelet_config()->mutable_kubelet_flags();
  flags["--image-credential-provider-config"] = "/var/lib/kubelet/credential-provider-config.yaml";
  flags["--image-credential-provider-bin-dir"] = "/var/lib/kubelet/credential-provider";
  config.mutable_api_server_config()->set_api_server_name("10.0.0.1");
  return config;
}

constexpr const char* kHead =
    "apiVersion: kubelet.config.k8s.io/v1\n"
    "kind: CredentialProviderConfig\n"
    "providers:\n"
    "  - name: acr-credential-provider\n"
    "    matchImages:\n"
    "      - \"*.azurecr.io\"\n"
    "      - \"*.azurecr.cn\"\n"
    "      - \"*.azurecr.de\"\n"
    "      - \"*.azurecr.us\"\n"
    "      - \"*.*.geo.azurecr.io\"\n"
    "      - \"*.*.geo.azurecr.cn\"\n"
    "      - \"*.*.geo.azurecr.de\"\n"
    "      - \"*.*.geo.azurecr.us\"\n";

std::string config_text(const Configuration& config) {
  const auto files = credential_provider_files(config, {});
  EXPECT_TRUE(files);
  EXPECT_EQ(files->size(), 1U);
  EXPECT_EQ(files->front().path, "/var/lib/kubelet/credential-provider-config.yaml");
  EXPECT_EQ(files->front().mode, 0644U);
  return files->front().content;
}

TEST(CredentialProvider, NeedsBothFlags) {
  EXPECT_TRUE(credential_provider_files({}, {})->empty());
  Configuration half = with_provider();
  half.mutable_kubelet_config()->mutable_kubelet_flags()->erase("--image-credential-provider-bin-dir");
  EXPECT_TRUE(credential_provider_files(half, {})->empty());
}

TEST(CredentialProvider, ThePlainConfigLineForLine) {
  EXPECT_EQ(config_text(with_provider()), std::string(kHead) +
                                              "    defaultCacheDuration: \"10m\"\n"
                                              "    apiVersion: credentialprovider.kubelet.k8s.io/v1\n"
                                              "    args:\n"
                                              "      - /etc/kubernetes/azure.json\n");
}

TEST(CredentialProvider, ACustomCloudAndAMirrorAddTheirs) {
  Configuration config = with_provider();
  config.mutable_custom_cloud_config()->set_container_registry_dns_suffix(".azurecr.custom");
  config.set_bootstrap_profile_container_registry_server("m.azurecr.io/x");
  EXPECT_EQ(config_text(config), std::string(kHead) +
                                     "      - \"*.azurecr.custom\"\n"
                                     "      - \"mcr.microsoft.com\"\n"
                                     "    defaultCacheDuration: \"10m\"\n"
                                     "    apiVersion: credentialprovider.kubelet.k8s.io/v1\n"
                                     "    args:\n"
                                     "      - /etc/kubernetes/azure.json\n"
                                     "      - --registry-mirror=mcr.microsoft.com:m.azurecr.io/x\n");
}

TEST(CredentialProvider, ServiceAccountPullAddsItsAttributesAndArguments) {
  Configuration config = with_provider();
  auto* pull = config.mutable_service_account_image_pull_profile();
  pull->set_enabled(true);
  pull->set_local_authority_sni("sni.example");
  pull->set_default_tenant_id("tenant");
  EXPECT_EQ(config_text(config), std::string(kHead) +
                                     "    defaultCacheDuration: \"10m\"\n"
                                     "    apiVersion: credentialprovider.kubelet.k8s.io/v1\n"
                                     "    tokenAttributes:\n"
                                     "      serviceAccountTokenAudience: api://AKSIdentityBinding\n"
                                     "      requireServiceAccount: false\n"
                                     "      cacheType: ServiceAccount\n"
                                     "      optionalServiceAccountAnnotationKeys:\n"
                                     "        - kubernetes.azure.com/acr-client-id\n"
                                     "    args:\n"
                                     "      - /etc/kubernetes/azure.json\n"
                                     "      - --ib-sni-name=sni.example\n"
                                     "      - --ib-default-tenant-id=tenant\n"
                                     "      - --ib-apiserver-ip=10.0.0.1\n");
}

TEST(CredentialProvider, DataEndpointsAreNeverListed) {
  EXPECT_EQ(config_text(with_provider()).find(".data."), std::string::npos);
}

TEST(RegistryHosts, TheApiPathFollowsTheHost) {
  EXPECT_EQ(registry_api_url("abc.azurecr.io"), "https://abc.azurecr.io/v2");
  EXPECT_EQ(registry_api_url("abc.azurecr.io/"), "https://abc.azurecr.io/v2");
  EXPECT_EQ(registry_api_url("abc.azurecr.io/def"), "https://abc.azurecr.io/v2/def");
  EXPECT_EQ(registry_api_url("abc.azurecr.io/def/ghi"), "https://abc.azurecr.io/v2/def/ghi");
}

TEST(RegistryHosts, AnIsolatedClusterPullsThroughItsOwnRegistry) {
  Configuration config;
  config.set_bootstrap_profile_container_registry_server("abc.azurecr.io/def");
  const auto files = registry_host_files(config, {});
  ASSERT_EQ(files->size(), 1U);
  EXPECT_EQ(files->front().path, "/etc/containerd/certs.d/mcr.microsoft.com/hosts.toml");
  EXPECT_EQ(
      files->front().content,
      "[host.\"https://abc.azurecr.io/v2/def\"]\n  capabilities = [\"pull\", \"resolve\"]\n  override_path = true\n");
}

TEST(RegistryHosts, InChinaTheOldNameLeadsToTheCurrentOne) {
  EXPECT_TRUE(registry_host_files({}, {})->empty());
  Configuration config;
  config.mutable_cluster_config()->set_location("China East 2");
  const auto files = registry_host_files(config, {});
  ASSERT_EQ(files->size(), 1U);
  EXPECT_EQ(files->front().path, "/etc/containerd/certs.d/mcr.azk8s.cn/hosts.toml");
  EXPECT_EQ(files->front().content,
            "[host.\"https://mcr.azure.cn\"]\n  capabilities = [\"pull\", \"resolve\"]\n"
            "[host.\"https://mcr.azure.cn\".header]\n    X-Forwarded-For = [\"mcr.azk8s.cn\"]\n");
  NodeFacts mocked;
  mocked.imds.emplace();
  mocked.imds->tags = {{"E2EMockAzureChinaCloud", "true"}};
  EXPECT_EQ(registry_host_files({}, mocked)->size(), 1U);
}

TEST(RegistryHosts, AServerThatIsNoRegistryNameIsRefused) {
  Configuration config = with_provider();
  for (const char* server : {"../../etc", "a\"]\nx", "a b", "/x"}) {
    config.set_bootstrap_profile_container_registry_server(server);
    EXPECT_FALSE(registry_host_files(config, {})) << server;
    EXPECT_FALSE(credential_provider_files(config, {})) << server;
  }
}

}  // namespace
}  // namespace sunup::render::node

#include "render/node/credentials.h"

#include <gtest/gtest.h>

namespace sunup::render::node {
namespace {

Configuration base() {
  Configuration config;
  config.mutable_api_server_config()->set_api_server_name("c.hcp.eastus.azmk8s.io");
  config.set_kubernetes_ca_cert("Y2E=");
  return config;
}

const NodeFile* find(const NodeFiles& files, std::string_view path) {
  for (const auto& file : files)
    if (file.path == path) return &file;
  return nullptr;
}

TEST(Kubeconfig, ATokenGivesABootstrapKubeconfigThatOnlyRootReads) {
  Configuration config = base();
  config.mutable_bootstrapping_config()->set_tls_bootstrapping_token("abcdef.0123456789abcdef");
  const auto files = kubeconfig_files(config, {});
  ASSERT_EQ(files->size(), 1U);
  const NodeFile& file = files->front();
  EXPECT_EQ(file.path, "/var/lib/kubelet/bootstrap-kubeconfig");
  EXPECT_EQ(file.mode, 0600U);
  EXPECT_TRUE(file.secret);
  EXPECT_EQ(file.content,
            "apiVersion: v1\n"
            "kind: Config\n"
            "clusters:\n"
            "- name: localcluster\n"
            "  cluster:\n"
            "    certificate-authority: /etc/kubernetes/certs/ca.crt\n"
            "    server: https://c.hcp.eastus.azmk8s.io:443\n"
            "users:\n"
            "- name: kubelet-bootstrap\n"
            "  user:\n"
            "    token: \"abcdef.0123456789abcdef\"\n"
            "contexts:\n"
            "- context:\n"
            "    cluster: localcluster\n"
            "    user: kubelet-bootstrap\n"
            "  name: bootstrap-context\n"
            "current-context: bootstrap-context\n");
}

TEST(Kubeconfig, ATokenCannotBreakOutOfItsQuotes) {
  Configuration config = base();
  config.mutable_bootstrapping_config()->set_tls_bootstrapping_token("a\"\nusers: []");
  EXPECT_NE(kubeconfig_files(config, {})->front().content.find(R"(token: "a\"\nusers: []")"), std::string::npos);
}

TEST(Kubeconfig, WithoutATokenTheClientCertificateIsNamed) {
  const auto files = kubeconfig_files(base(), {});
  ASSERT_EQ(files->size(), 1U);
  EXPECT_EQ(files->front().path, "/var/lib/kubelet/kubeconfig");
  EXPECT_NE(files->front().content.find("- name: client\n  user:\n"
                                        "    client-certificate: /etc/kubernetes/certs/client.crt\n"
                                        "    client-key: /etc/kubernetes/certs/client.key\ncontexts:\n"),
            std::string::npos);
  EXPECT_NE(files->front().content.find("current-context: localclustercontext\n"), std::string::npos);
}

TEST(Kubeconfig, SecureBootstrappingWithoutATokenLeavesItToTheClient) {
  Configuration config = base();
  config.mutable_bootstrapping_config()->set_bootstrapping_auth_method(
      aksnodeconfig::v1::BOOTSTRAPPING_AUTH_METHOD_SECURE_TLS_BOOTSTRAPPING);
  EXPECT_TRUE(kubeconfig_files(config, {})->empty());
}

TEST(Kubeconfig, AServerNameThatIsNoneIsRefused) {
  Configuration config = base();
  for (const char* none : {"a\n- name: x", "a:443", "https://a", "[a]", "fd00::1]", "[fd00::1]:443"}) {
    config.mutable_api_server_config()->set_api_server_name(none);
    EXPECT_FALSE(kubeconfig_files(config, {})) << none;
  }
  config.mutable_api_server_config()->clear_api_server_name();
  EXPECT_FALSE(kubeconfig_files(config, {}));
}

TEST(Kubeconfig, AnAddressOfIpv6IsInBrackets) {
  Configuration config = base();
  for (const char* name : {"fd00::1", "[fd00::1]"}) {
    config.mutable_api_server_config()->set_api_server_name(name);
    EXPECT_NE(kubeconfig_files(config, {})->front().content.find("server: https://[fd00::1]:443\n"), std::string::npos);
  }
}

TEST(Certificates, TheClientKeyIsReadableByRootOnly) {
  Configuration config = base();
  config.mutable_kubelet_config()->set_kubelet_client_key("a2V5");
  config.mutable_kubelet_config()->set_kubelet_client_cert_content("Y2VydA==");
  config.mutable_api_server_config()->set_api_server_public_key("cHVi");
  const auto files = certificate_files(config, {});
  const NodeFile* key = find(*files, "/etc/kubernetes/certs/client.key");
  ASSERT_NE(key, nullptr);
  EXPECT_EQ(key->content, "key");
  EXPECT_EQ(key->mode, 0600U);
  EXPECT_TRUE(key->secret);
  EXPECT_EQ(find(*files, "/etc/kubernetes/certs/client.crt")->content, "cert");
  EXPECT_EQ(find(*files, "/etc/kubernetes/certs/ca.crt")->mode, 0600U);
  EXPECT_EQ(find(*files, "/etc/kubernetes/certs/apiserver.crt")->mode, 0644U);
}

TEST(Certificates, AClientKeyIsNotWrittenNextToAToken) {
  Configuration config = base();
  config.mutable_kubelet_config()->set_kubelet_client_key("a2V5");
  config.mutable_bootstrapping_config()->set_tls_bootstrapping_token("t");
  EXPECT_EQ(find(*certificate_files(config, {}), "/etc/kubernetes/certs/client.key"), nullptr);
}

TEST(Certificates, ACaThatDoesNotDecodeIsAnErrorThatNamesTheField) {
  Configuration config = base();
  config.set_kubernetes_ca_cert("???");
  EXPECT_EQ(certificate_files(config, {}).error().what, "kubernetes_ca_cert is neither base64 nor PEM");
}

}  // namespace
}  // namespace sunup::render::node

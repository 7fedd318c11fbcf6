#include "render/node/kubelet_config.h"

#include <gtest/gtest.h>

namespace sunup::render::node {
namespace {

Configuration rotating() {
  Configuration config;
  config.set_kubernetes_version("1.34.0");
  config.mutable_kubelet_config()->set_enable_kubelet_config_file(true);
  auto* file = config.mutable_kubelet_config()->mutable_kubelet_config_file_config();
  file->set_server_tls_bootstrap(true);
  file->set_tls_cert_file("/etc/kubernetes/certs/kubeletserver.crt");
  file->set_streaming_connection_idle_timeout("4h");
  file->mutable_authentication()->mutable_anonymous();
  return config;
}

TEST(KubeletConfig, IsWrittenOnlyWhenWanted) {
  Configuration config = rotating();
  config.mutable_kubelet_config()->set_enable_kubelet_config_file(false);
  EXPECT_TRUE(kubelet_config_files(config, {})->empty());
}

TEST(KubeletConfig, FollowsServingCertificateAndVersionAndKeepsAnExplicitFalse) {
  const auto files = kubelet_config_files(rotating(), {});
  ASSERT_EQ(files->size(), 1U);
  EXPECT_EQ(files->front().path, "/etc/default/kubeletconfig.json");
  EXPECT_EQ(files->front().mode, 0600U);
  EXPECT_EQ(files->front().content, R"({
    "serverTLSBootstrap": true,
    "authentication": {
        "anonymous": {
            "enabled": false
        }
    }
})");
}

TEST(KubeletConfig, AVetoKeepsTheCertificateAndDropsTheBootstrap) {
  NodeFacts facts;
  facts.imds.emplace();
  facts.imds->tags = {{"aks-disable-kubelet-serving-certificate-rotation", "true"}};
  const std::string text = kubelet_config_files(rotating(), facts)->front().content;
  EXPECT_EQ(text.find("serverTLSBootstrap"), std::string::npos);
  EXPECT_NE(text.find("\"tlsCertFile\": \"/etc/kubernetes/certs/kubeletserver.crt\""), std::string::npos);
}

}  // namespace
}  // namespace sunup::render::node

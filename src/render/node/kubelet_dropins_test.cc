#include "render/node/kubelet_dropins.h"

#include <gtest/gtest.h>

#include <map>

namespace sunup::render::node {
namespace {

std::map<std::string, NodeFile> by_name(const NodeFiles& files) {
  std::map<std::string, NodeFile> found;
  for (const auto& file : files) found[file.path.substr(file.path.rfind('/') + 1)] = file;
  return found;
}

TEST(KubeletDropins, APlainNodeGetsJustTheRuntimeFlags) {
  Configuration config;
  config.set_kubernetes_version("1.34.1");
  const auto files = by_name(kubelet_base_dropins(config, {}));
  ASSERT_EQ(files.size(), 1U);
  EXPECT_EQ(files.at("10-containerd-base-flag.conf").content,
            "[Service]\nEnvironment=\"KUBELET_CONTAINERD_FLAGS=--runtime-request-timeout=15m "
            "--container-runtime-endpoint=unix:///run/containerd/containerd.sock "
            "--runtime-cgroups=/system.slice/containerd.service\"\n");
  EXPECT_EQ(files.at("10-containerd-base-flag.conf").mode, 0644U);
}

TEST(KubeletDropins, OldKubeletsAreToldThatTheRuntimeIsRemote) {
  Configuration config;
  config.set_kubernetes_version("1.26.9");
  EXPECT_TRUE(by_name(kubelet_base_dropins(config, {})).contains("10-container-runtime-flag.conf"));
  config.set_kubernetes_version("1.27.0");
  EXPECT_FALSE(by_name(kubelet_base_dropins(config, {})).contains("10-container-runtime-flag.conf"));
}

TEST(KubeletDropins, ATemporaryDiskAndCgroupsVersionTwoShow) {
  Configuration config;
  config.set_needs_cgroupv2(true);
  config.mutable_kubelet_config()->set_kubelet_disk_type(aksnodeconfig::v1::KUBELET_DISK_TEMP_DISK);
  const auto files = by_name(kubelet_base_dropins(config, {}));
  EXPECT_EQ(files.at("10-cgroupv2.conf").content,
            "[Service]\nEnvironment=\"KUBELET_CGROUP_FLAGS=--cgroup-driver=systemd\"\n");
  EXPECT_EQ(files.at("10-bindmount.conf").content, "[Unit]\nRequires=bind-mount.service\nAfter=bind-mount.service\n");
  config.mutable_kubelet_config()->set_kubelet_disk_type(aksnodeconfig::v1::KUBELET_DISK_OS_DISK);
  EXPECT_FALSE(by_name(kubelet_base_dropins(config, {})).contains("10-bindmount.conf"));
}

TEST(KubeletDropins, TheWatchdogComesWithOneDotThirtyTwo) {
  Configuration config;
  config.set_kubernetes_version("1.31.99");
  EXPECT_FALSE(by_name(kubelet_node_dropins(config, {})).contains("10-watchdog.conf"));
  config.set_kubernetes_version("1.32.0");
  EXPECT_EQ(by_name(kubelet_node_dropins(config, {})).at("10-watchdog.conf").content, "[Service]\nWatchdogSec=60s\n");
}

TEST(KubeletDropins, ATokenBringsBootstrapFlagsAndWhatItsCheckNeeds) {
  Configuration config;
  config.mutable_api_server_config()->set_api_server_name("api");
  EXPECT_FALSE(by_name(kubelet_node_dropins(config, {})).contains("10-tlsbootstrap.conf"));
  config.mutable_bootstrapping_config()->set_tls_bootstrapping_token("t");
  const auto files = by_name(kubelet_node_dropins(config, {}));
  EXPECT_EQ(files.at("10-tlsbootstrap.conf").content,
            "[Service]\nEnvironment=\"KUBELET_TLS_BOOTSTRAP_FLAGS=--kubeconfig /var/lib/kubelet/kubeconfig "
            "--bootstrap-kubeconfig /var/lib/kubelet/bootstrap-kubeconfig\"\n");
  EXPECT_EQ(files.at("10-credential-validation.conf").content,
            "[Service]\n"
            "Environment=\"CREDENTIAL_VALIDATION_KUBE_CA_FILE=/etc/kubernetes/certs/ca.crt\"\n"
            "Environment=\"CREDENTIAL_VALIDATION_APISERVER_URL=https://api:443\"\n");
  EXPECT_EQ(files.at("10-tlsbootstrap.conf").mode, 0600U);
}

TEST(KubeletDropins, TheMetadataRestrictionIsAlwaysSpelledOut) {
  NodeFacts facts;
  facts.imds.emplace();
  facts.imds->interfaces = {{.mac = "", .ipv4 = {"10.0.0.4"}, .ipv6 = {}}};
  Configuration config;
  config.mutable_imds_restriction_config()->set_enable_imds_restriction(true);
  EXPECT_EQ(by_name(kubelet_node_dropins(config, facts)).at("10-ensure-imds-restriction.conf").content,
            "[Service]\nEnvironment=\"PRIMARY_NIC_IP=10.0.0.4\"\nEnvironment=\"ENABLE_IMDS_RESTRICTION=true\"\n"
            "Environment=\"INSERT_IMDS_RESTRICTION_RULE_TO_MANGLE_TABLE=false\"\n");
}

}  // namespace
}  // namespace sunup::render::node

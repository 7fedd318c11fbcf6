#include "render/node/kubelet_defaults.h"

#include <gtest/gtest.h>

namespace sunup::render::node {
namespace {

NodeFacts at(std::vector<std::string> ipv4, std::vector<std::string> ipv6) {
  NodeFacts facts = golden_image(Distro::kUbuntu2204);
  facts.imds.emplace();
  facts.imds->interfaces = {{.mac = "", .ipv4 = std::move(ipv4), .ipv6 = std::move(ipv6)}};
  return facts;
}

Configuration of(const char* version) {
  Configuration config;
  config.set_kubernetes_version(version);
  (*config.mutable_kubelet_config()->mutable_kubelet_flags())["--b"] = "2";
  (*config.mutable_kubelet_config()->mutable_kubelet_flags())["--a"] = "1";
  return config;
}

TEST(KubeletFlags, TheNodesAddressesFollowFromOneDotTwentyNine) {
  EXPECT_EQ(node_kubelet_flags(of("1.28.9"), at({"10.0.0.4"}, {})), "--a=1 --b=2");
  EXPECT_EQ(node_kubelet_flags(of("1.29.0"), at({"10.0.0.4", "10.0.0.5"}, {})), "--a=1 --b=2 --node-ip=10.0.0.4");
  EXPECT_EQ(node_kubelet_flags(of("1.29.0"), at({"10.0.0.4"}, {"fd00::4"})), "--a=1 --b=2 --node-ip=10.0.0.4,fd00::4");
  EXPECT_EQ(node_kubelet_flags(of("1.29.0"), at({}, {"fd00::4"})), "--a=1 --b=2 --node-ip=fd00::4");
  EXPECT_EQ(node_kubelet_flags(of("1.29.0"), at({}, {})), "--a=1 --b=2");
  EXPECT_EQ(node_kubelet_flags(of("1.29.0"), {}), "--a=1 --b=2");
}

TEST(KubeletLabels, TellWhatIsSwitchedOn) {
  Configuration config = of("1.34.0");
  (*config.mutable_kubelet_config()->mutable_kubelet_node_labels())["x"] = "y";
  EXPECT_EQ(node_kubelet_labels(config, at({}, {})), "x=y");
  config.mutable_local_dns_profile()->set_enable_local_dns(true);
  config.mutable_gpu_config()->set_enable_nvidia(true);
  config.mutable_gpu_config()->set_enable_managed_gpu(true);
  EXPECT_EQ(node_kubelet_labels(config, at({}, {})),
            "x=y,kubernetes.azure.com/localdns-exporter=enabled,kubernetes.azure.com/dcgm-exporter=enabled");
}

TEST(KubeletDefaults, LinesKeepTheirOrder) {
  Configuration config = of("1.29.0");
  config.mutable_network_config()->set_network_policy(aksnodeconfig::v1::NETWORK_POLICY_CALICO);
  const auto file = kubelet_defaults(config, {});
  ASSERT_TRUE(file);
  EXPECT_EQ(file->path, "/etc/default/kubelet");
  EXPECT_EQ(file->mode, 0600U);
  EXPECT_EQ(file->content,
            "KUBELET_FLAGS=--a=1 --b=2\nKUBELET_REGISTER_SCHEDULABLE=true\nNETWORK_POLICY=calico\nKUBELET_IMAGE=\n"
            "KUBELET_NODE_LABELS=\n");
  config.mutable_custom_cloud_config()->set_custom_cloud_env_name("akscustom");
  EXPECT_TRUE(
      kubelet_defaults(config, {})->content.ends_with("\nAZURE_ENVIRONMENT_FILEPATH=/etc/kubernetes/akscustom.json\n"));
}

TEST(KubeletDefaults, AValueCannotSetAnotherVariable) {
  Configuration config = of("1.29.0");
  (*config.mutable_kubelet_config()->mutable_kubelet_node_labels())["x"] = "y\nLD_PRELOAD=/tmp/evil.so";
  EXPECT_FALSE(kubelet_defaults(config, {}));
}

TEST(KubeletDefaults, ABackslashArrivesAsOne) {
  Configuration config;
  (*config.mutable_kubelet_config()->mutable_kubelet_flags())["--a"] = "x\\y";
  EXPECT_NE(kubelet_defaults(config, {})->content.find("KUBELET_FLAGS=--a=x\\\\y\n"), std::string::npos);
}

}  // namespace
}  // namespace sunup::render::node

#include "fleet/launch/node_config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fleet/launch/test_launch.h"

namespace sunup::fleet {
namespace {

TEST(NodeConfig, SaysTheSameAsTheVariablesAndPassesTheContractsOwnCheck) {
  CheckedNode test;
  test.bootstrap = Bootstrap::kNodeConfig;
  test.node_class["spec"]["linuxOSConfig"] = {
      {"swapFileSize", "1500Mi"}, {"transparentHugePageEnabled", "never"}, {"sysctls", {{"vmSwappiness", 0}}}};
  test.node_class["spec"]["kubelet"] = {{"failSwapOn", false}};
  const Resolution node = test.resolve();
  const contract::Configuration config = node_config(node);
  EXPECT_EQ(config.version(), "v1");
  EXPECT_EQ(config.kubernetes_version(), "1.33.1");
  EXPECT_EQ(config.cluster_config().cluster_network_config().route_table(), "aks-agentpool-46593302-routetable");
  EXPECT_EQ(config.kubelet_config().kubelet_flags().at("--max-pods"), "250");
  EXPECT_EQ(config.kubelet_config().kubelet_flags().at("--fail-swap-on"), "false");
  EXPECT_EQ(config.custom_linux_os_config().swap_file_size(), 1500);
  EXPECT_TRUE(config.custom_linux_os_config().sysctl_config().has_vm_swappiness());
  EXPECT_EQ(config.bootstrapping_config().tls_bootstrapping_token(), "abcdef.0123456789abcdef");
}

}  // namespace
}  // namespace sunup::fleet

#include "fleet/sources/cluster_id.h"

#include <gtest/gtest.h>

namespace sunup::fleet {
namespace {

TEST(ClusterId, IsWhatAksGivesToTheSameName) {
  EXPECT_EQ(cluster_id_of_host("environment-cluster-id-value-for-testing"), "46593302");
  EXPECT_EQ(cluster_id_of_host("my-aks-cluster-my-rg-0a1b2c-3d4e5f6a.hcp.eastus.azmk8s.io"), "38893185");
  EXPECT_EQ(cluster_id_of_host("abc"), "64379487");
  EXPECT_EQ(cluster_id_of_host(""), "12857252");
}

TEST(ClusterId, LooksAtTheFirst33BytesOfAHostNameOnly) {
  EXPECT_EQ(cluster_id_of_host("environment-cluster-id-value-for-X"), "46593302");
  EXPECT_NE(cluster_id("environment-cluster-id-value-for-X"), "46593302");
}

TEST(ClusterId, AlwaysHasEightDigits) {
  for (int i = 0; i < 2000; ++i) EXPECT_EQ(cluster_id("cluster-" + std::to_string(i)).size(), 8u);
}

TEST(ClusterIdFromNsg, ReadsTheDigitsWhateverTheLetterCase) {
  EXPECT_EQ(cluster_id_from_nsg("aks-agentpool-46593302-nsg"), "46593302");
  EXPECT_EQ(cluster_id_from_nsg("AKS-AgentPool-00000001-NSG"), "00000001");
}

TEST(ClusterIdFromNsg, RefusesOtherNames) {
  EXPECT_FALSE(cluster_id_from_nsg("aks-agentpool-4659330-nsg"));
  EXPECT_FALSE(cluster_id_from_nsg("aks-agentpool-465933021-nsg"));
  EXPECT_FALSE(cluster_id_from_nsg("my-aks-agentpool-46593302-nsg"));
  EXPECT_FALSE(cluster_id_from_nsg("aks-agentpool-4659330x-nsg"));
  EXPECT_FALSE(cluster_id_from_nsg(""));
}

}  // namespace
}  // namespace sunup::fleet

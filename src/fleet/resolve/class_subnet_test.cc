#include "fleet/sources/class_subnet.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fleet/resolve/test_node.h"

namespace sunup::fleet {
namespace {

using ::testing::HasSubstr;

std::string subnet(const char* subscription, const char* group, const char* vnet, const char* name) {
  return fmt::format("/subscriptions/{}/resourceGroups/{}/providers/Microsoft.Network/virtualNetworks/{}/subnets/{}",
                     subscription, group, vnet, name);
}

TEST(ClassSubnet, IsRefusedWhereAksManagesTheNetwork) {
  TestNode test;
  test.node_class["spec"]["vnetSubnetID"] = test.settings["vnet-subnet-id"].get<std::string>() + "-2";
  const auto refused = test.try_resolve();
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().what, HasSubstr("node class default: spec.vnetSubnetID: may not be set"));
  EXPECT_THAT(refused.error().what, HasSubstr("(rule: managed-network)"));
}

TEST(ClassSubnet, MustBeInTheClustersNetworkWhateverTheLetterCase) {
  TestNode test;
  test.settings["vnet-subnet-id"] = subnet("s1", "rg", "vnet", "nodes");
  test.node_class["spec"]["vnetSubnetID"] = subnet("S1", "RG", "VNet", "others");
  EXPECT_EQ(*test.resolve().kind->subnet_id, subnet("S1", "RG", "VNet", "others"));
  for (const std::string& other : {subnet("s2", "rg", "vnet", "others"), subnet("s1", "rg2", "vnet", "others"),
                                   subnet("s1", "rg", "vnet2", "others")}) {
    test.node_class["spec"]["vnetSubnetID"] = other;
    const auto refused = test.try_resolve();
    ASSERT_FALSE(refused) << other;
    EXPECT_THAT(refused.error().what, HasSubstr("spec.vnetSubnetID: is in network")) << other;
    EXPECT_THAT(refused.error().what, HasSubstr("(rule: same-network)")) << other;
  }
}

TEST(ClassSubnet, HasANameThatAzureGives) {
  for (const std::string& good : {std::string("n"), std::string("My.nodes-1_"), std::string(80, 'n')}) {
    TestNode test;
    test.settings["vnet-subnet-id"] = subnet("s1", "rg", "vnet", good.c_str());
    EXPECT_TRUE(test.try_resolve()) << good;
  }
  for (const std::string& bad :
       {std::string("_nodes"), std::string("-nodes"), std::string("nodes."), std::string("nodes-"),
        std::string("no des"), std::string("n$(id)"), std::string("n\u00f6des"), std::string(81, 'n')}) {
    TestNode test;
    test.settings["vnet-subnet-id"] = subnet("s1", "rg", "vnet", "nodes");
    test.node_class["spec"]["vnetSubnetID"] = subnet("s1", "rg", "vnet", bad.c_str());
    const auto refused = test.try_resolve();
    ASSERT_FALSE(refused) << bad;
    EXPECT_THAT(refused.error().what, HasSubstr("node class default: spec.vnetSubnetID: the subnet's name '" + bad));
    EXPECT_THAT(refused.error().what, HasSubstr("(rule: name)"));
    const auto in_settings = parse_subnet_id(subnet("s1", "rg", bad.c_str(), "nodes"));
    EXPECT_THAT(why_misnamed(*in_settings), HasSubstr("the network's name '" + bad + "' must have at most 64"));
  }
}

TEST(ClassSubnet, OfANetworkThatOnlyLooksManagedIsTheUsers) {
  TestNode test;
  test.settings["vnet-subnet-id"] = subnet("s1", "another-group", "aks-vnet-46593302", "aks-subnet");
  test.node_class["spec"]["vnetSubnetID"] = subnet("s1", "another-group", "aks-vnet-46593302", "others");
  EXPECT_TRUE(test.try_resolve());
}

}  // namespace
}  // namespace sunup::fleet

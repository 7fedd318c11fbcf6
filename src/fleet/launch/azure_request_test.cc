#include "fleet/launch/azure_request.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fleet/launch/test_launch.h"

namespace sunup::fleet {
namespace {

using nlohmann::json;

TEST(AzureRequest, MakesASpotVmWithTrustedLaunchAndEncryption) {
  CheckedNode test;
  test.pool["spec"]["template"]["spec"]["requirements"] = {
      {{"key", "karpenter.sh/capacity-type"}, {"operator", "In"}, {"values", {"spot"}}}};
  test.node_class["spec"]["security"] = {{"encryptionAtHost", true}, {"trustedLaunch", {{"vtpm", true}}}};
  test.settings["linux-admin-username"] = "ops";
  TestLaunch made(test);
  const json request = virtual_machine_request(made.node, made.made);
  const json& properties = request["virtualMachine"]["properties"];
  EXPECT_EQ(properties["priority"], "Spot");
  EXPECT_EQ(properties["evictionPolicy"], "Delete");
  EXPECT_EQ(properties["billingProfile"]["maxPrice"], -1);
  EXPECT_EQ(properties["securityProfile"]["securityType"], "TrustedLaunch");
  EXPECT_EQ(properties["securityProfile"]["uefiSettings"]["secureBootEnabled"], false);
  EXPECT_EQ(properties["osProfile"]["customData"], made.made.custom_data);
  EXPECT_EQ(properties["osProfile"]["linuxConfiguration"]["ssh"]["publicKeys"][0]["path"],
            "/home/ops/.ssh/authorized_keys");
  EXPECT_EQ(properties["storageProfile"]["osDisk"]["deleteOption"], "Delete");
  EXPECT_EQ(request["extensions"].size(), 1u);
  EXPECT_EQ(request["extensions"][0]["name"], "computeAksLinuxBilling");
  EXPECT_EQ(BootstrapVariables(made.node).text("AdminUsername"), "ops");  // the same user in both places
}

TEST(AzureRequest, GivesPodsAddressesOfTheSubnetWithoutOverlay) {
  CheckedNode test;
  EXPECT_EQ(
      virtual_machine_request(TestLaunch(test).node, {})["networkInterface"]["properties"]["ipConfigurations"].size(),
      1u);
  test.settings["network-plugin-mode"] = "";
  test.node_class["spec"]["maxPods"] = 20;
  TestLaunch made(test);
  const json request = virtual_machine_request(made.node, made.made);
  const json& configurations = request["networkInterface"]["properties"]["ipConfigurations"];
  EXPECT_EQ(configurations.size(), 20u);
  EXPECT_EQ(configurations[19]["name"], "ipconfig19");
}

TEST(AzureRequest, PutsTheNodeWhereAndAsWhomItIsMeantToBe) {
  CheckedNode test;
  test.settings["node-identities"] = "/subscriptions/s/id-1";
  test.pool["spec"]["template"]["spec"]["requirements"] = {
      {{"key", "topology.kubernetes.io/zone"}, {"operator", "In"}, {"values", {"eastus-2"}}}};
  TestLaunch made(test);
  const json machine = virtual_machine_request(made.node, made.made)["virtualMachine"];
  for (const json& request : {machine, json(*scale_set_request(made.node, made.made))}) {
    EXPECT_EQ(request["zones"], json::array({"2"}));
    EXPECT_TRUE(request["identity"]["userAssignedIdentities"].contains("/subscriptions/s/id-1"));
  }
  EXPECT_EQ(made.to_json()["zone"], "eastus-2");
}

TEST(AzureRequest, LeavesRoomForTheNumberOfAnInstanceOfAScaleSet) {
  const auto request = [](size_t length) {
    CheckedNode test;
    test.pool["metadata"]["name"] = std::string(length, 'p');
    const TestLaunch made(test);
    return scale_set_request(made.node, made.made);
  };
  EXPECT_TRUE(request(54));  // after "aks-"
  EXPECT_THAT(request(55).error().what, ::testing::HasSubstr("has 59 characters"));
}

TEST(AzureRequest, BringsTheSecurityGroupIntoANetworkOfTheUsersOwn) {
  const auto nic = [](CheckedNode test) {
    TestLaunch made(std::move(test));
    return json(virtual_machine_request(made.node, made.made))["networkInterface"]["properties"];
  };
  CheckedNode test;
  EXPECT_FALSE(nic(test).contains("networkSecurityGroup"));
  const std::string own =
      "/subscriptions/12345678-1234-1234-1234-123456789012/resourceGroups/{}/providers/Microsoft.Network/"
      "virtualNetworks/{}/subnets/{}";
  for (const auto& [group, vnet, subnet] :
       {std::tuple{"other", "aks-vnet-46593302", "aks-subnet"}, std::tuple{"MC_rg_cl_eastus", "mine", "aks-subnet"},
        std::tuple{"MC_rg_cl_eastus", "aks-vnet-46593302", "mine"}}) {
    test.settings["vnet-subnet-id"] = fmt::format(fmt::runtime(own), group, vnet, subnet);
    EXPECT_EQ(nic(test)["networkSecurityGroup"]["id"],
              "/subscriptions/12345678-1234-1234-1234-123456789012/resourceGroups/MC_rg_cl_eastus/providers/"
              "Microsoft.Network/networkSecurityGroups/aks-agentpool-46593302-nsg");
  }
}

}  // namespace
}  // namespace sunup::fleet

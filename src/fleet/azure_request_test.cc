#include "fleet/launch_template.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fleet/test_node.h"

namespace sunup::fleet {
namespace {

using nlohmann::json;

TEST(AzureRequest, MakesASpotVmWithTrustedLaunchAndEncryption) {
  TestNode test;
  test.pool["spec"]["template"]["spec"]["requirements"] = {
      {{"key", "karpenter.sh/capacity-type"}, {"operator", "In"}, {"values", {"spot"}}}};
  test.node_class["spec"]["security"] = {{"encryptionAtHost", true}, {"trustedLaunch", {{"vtpm", true}}}};
  test.settings["linux-admin-username"] = "ops";
  TestLaunch made(test);
  const json request = virtual_machine_request(made.node, made.made, made.test.resolver().settings());
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
  EXPECT_EQ(made.node.variables.text(Var::kAdminUsername), "ops");  // the same user in both places
}

TEST(AzureRequest, GivesPodsAddressesOfTheSubnetWithoutOverlay) {
  TestNode test;
  EXPECT_EQ(
      virtual_machine_request(TestLaunch(test).node, {},
                              TestNode().resolver().settings())["networkInterface"]["properties"]["ipConfigurations"]
          .size(),
      1u);
  test.settings["network-plugin-mode"] = "";
  test.node_class["spec"]["maxPods"] = 20;
  TestLaunch made(test);
  const json request = virtual_machine_request(made.node, made.made, made.test.resolver().settings());
  const json& configurations = request["networkInterface"]["properties"]["ipConfigurations"];
  EXPECT_EQ(configurations.size(), 20u);
  EXPECT_EQ(configurations[19]["name"], "ipconfig19");
}

}  // namespace
}  // namespace sunup::fleet

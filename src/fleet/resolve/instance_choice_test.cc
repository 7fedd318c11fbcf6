#include "fleet/resolve/instance_choice.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fleet/resolve/test_node.h"

namespace sunup::fleet {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::HasSubstr;

TEST(ChooseInstanceType, TakesTheFirstThatMeetsTheRequirementsAndSaysWhyOthersDoNot) {
  TestNode test;
  test.pool["spec"]["template"]["spec"]["requirements"] = json::parse(R"([
    {"key": "karpenter.azure.com/sku-cpu", "operator": "Gt", "values": ["3"]},
    {"key": "kubernetes.io/arch", "operator": "In", "values": ["amd64"]},
    {"key": "topology.kubernetes.io/zone", "operator": "In", "values": ["eastus-1"]}])");
  std::vector<InstanceType> types = {*known_instance_type("Standard_D2s_v5"), *known_instance_type("Standard_D8ps_v5")};
  EXPECT_THAT(test.try_choose(types).error().what,
              AllOf(HasSubstr("Standard_D2s_v5 does not meet the requirement on karpenter.azure.com/sku-cpu"),
                    HasSubstr("Standard_D8ps_v5 does not meet the requirement on kubernetes.io/arch")));
  types.push_back(*known_instance_type("Standard_D4s_v5"));
  EXPECT_EQ(test.try_choose(types).value(), "Standard_D4s_v5");
}

TEST(ChooseInstanceType, LeavesRoomForWhatPodsAskFor) {
  TestNode test;
  const std::vector<InstanceType> types = {*known_instance_type("Standard_D2s_v5"),
                                           *known_instance_type("Standard_D8s_v5")};
  const auto chosen = [&](std::map<std::string, std::string> requests) {
    test.requests = std::move(requests);
    const auto result = test.try_choose(types);
    return result ? *result : result.error().what;
  };
  EXPECT_EQ(chosen({{"cpu", "1900m"}}), "Standard_D2s_v5");  // 100m are reserved for Kubernetes
  EXPECT_EQ(chosen({{"cpu", "1901m"}}), "Standard_D8s_v5");
  EXPECT_EQ(chosen({{"memory", "4Gi"}}), "Standard_D2s_v5");
  EXPECT_EQ(chosen({{"memory", "5Gi"}}), "Standard_D8s_v5");
  EXPECT_EQ(chosen({{"pods", "250"}, {"ephemeral-storage", "128Gi"}}), "Standard_D2s_v5");
  EXPECT_THAT(chosen({{"pods", "251"}}), HasSubstr("Standard_D8s_v5 has no room for 251 of pods"));
  EXPECT_THAT(chosen({{"nvidia.com/gpu", "1"}}), HasSubstr("has no room for 1 of nvidia.com/gpu"));
  EXPECT_THAT(chosen({{"example.com/dongle", "1"}}), HasSubstr("has no room"));
}

TEST(ChooseInstanceType, KnowsSizesInAnyLetterCaseAndSpellsThemAsAzureDoes) {
  TestNode test;
  for (const char* written : {"Standard_NC4as_T4_v3", "standard_nc4as_t4_v3"}) {
    test.pool["spec"]["template"]["spec"]["requirements"] = {
        {{"key", "node.kubernetes.io/instance-type"}, {"operator", "In"}, {"values", {written}}}};
    EXPECT_EQ(test.try_choose({*known_instance_type(written)}).value(), "Standard_NC4as_T4_v3");
  }
  EXPECT_EQ(known_instance_type("STANDARD_NV36ADS_A10_V5")->name, "Standard_NV36ads_A10_v5");
}

TEST(ChooseInstanceType, MeetsTheOlderNamesOfLabelsToo) {
  TestNode test;
  test.pool["spec"]["template"]["spec"]["requirements"] = {
      {{"key", "beta.kubernetes.io/instance-type"}, {"operator", "In"}, {"values", {"Standard_D8s_v5"}}}};
  EXPECT_FALSE(test.try_choose({*known_instance_type("Standard_D2s_v5")}));
  EXPECT_TRUE(test.try_choose({*known_instance_type("Standard_D8s_v5")}));
}

TEST(ChooseInstanceType, TakesNoGpuThatTheImagesDoNotSupport) {
  TestNode test;
  test.node_class["spec"] = {{"imageFamily", "AzureLinux"}, {"gpu", {{"mode", "None"}}}};
  const auto gpu_size = [](const char* name) {
    InstanceType type;
    type.name = name;
    type.cpus = 24;
    type.memory_gib = 100;
    type.gpus = 1;
    return type;
  };
  for (const char* name : {"Standard_NC6", "Standard_NV12s_v3", "Standard_ND96isr_MI300X_v5"}) {
    EXPECT_THAT(test.try_choose({gpu_size(name)}).error().what, HasSubstr("has a GPU that AzureLinux images do not"));
    test.node_class["spec"]["imageFamily"] = "Ubuntu2204";
    EXPECT_TRUE(test.try_choose({gpu_size(name)})) << name;
    test.node_class["spec"]["imageFamily"] = "AzureLinux";
  }
  EXPECT_TRUE(test.try_choose({gpu_size("Standard_NC4as_T4_v3")}));
}

json sku(json locations, json restrictions = json::array()) {
  return {{"resourceType", "virtualMachines"},
          {"name", "Standard_D4s_v5"},
          {"locationInfo", std::move(locations)},
          {"restrictions", std::move(restrictions)},
          {"capabilities", {{{"name", "vCPUs"}, {"value", "4"}}, {{"name", "MemoryGB"}, {"value", "16"}}}}};
}

std::vector<InstanceType> read(const json& list) {
  const auto types = read_instance_types({list, {}, ""});
  EXPECT_TRUE(types) << types.error().what;
  return types ? *types : std::vector<InstanceType>();
}

const json kEastUs = {{{"location", "eastus"}, {"zones", {"1", "2"}}}};

TEST(ChooseInstanceType, PassesOverWhatIsNoVmSizeInASkuList) {
  const json disk = {{"resourceType", "disks"}, {"name", "Premium_LRS"}, {"capabilities", json::array()}};
  EXPECT_EQ(read({{"value", {disk, sku(kEastUs), disk}}}).size(), 1u);
  EXPECT_THAT(read_instance_types({json::array({disk}), {}, "skus.json"}).error().what,
              HasSubstr("skus.json: contains no VM size"));
}

TEST(ChooseInstanceType, HoldsTheLocationAgainstWhereTheSizeIsOffered) {
  TestNode test;
  EXPECT_EQ(test.try_choose(read({sku(kEastUs)})).value(), "Standard_D4s_v5");
  EXPECT_THAT(test.try_choose(read({sku({{{"location", "westus"}}})})).error().what,
              HasSubstr("is not offered in eastus"));
  for (const json& values : {json::array(), json::array({"EastUS"})})
    EXPECT_THAT(
        test
            .try_choose(read({sku(
                kEastUs, {{{"type", "Location"}, {"values", values}, {"reasonCode", "NotAvailableForSubscription"}}})}))
            .error()
            .what,
        HasSubstr("is not offered in eastus (NotAvailableForSubscription)"));
  EXPECT_TRUE(test.try_choose(
      read({sku(kEastUs, {{{"type", "Location"}, {"values", {"westus"}}}}), sku({{{"location", "westus"}}})})));
}

TEST(ChooseInstanceType, TakesAZoneThatTheSizeIsOfferedIn) {
  TestNode test;
  const auto ask_for = [&test](json zones) {
    test.pool["spec"]["template"]["spec"]["requirements"] = {
        {{"key", "topology.kubernetes.io/zone"}, {"operator", "In"}, {"values", std::move(zones)}}};
  };
  ask_for({"eastus-3", "eastus-2"});
  test.type = read({sku(kEastUs)})[0];
  EXPECT_EQ(test.resolve().zone.value, "eastus-2");
  ask_for({"eastus-3"});
  EXPECT_THAT(test.try_choose(read({sku(kEastUs)})).error().what,
              HasSubstr("is not offered in any of the requested zones"));
  ask_for({"eastus-2"});
  const json restricted = {{{"type", "Zone"}, {"values", {"eastus"}}, {"restrictionInfo", {{"zones", {"2"}}}}}};
  EXPECT_FALSE(test.try_choose(read({sku(kEastUs, restricted)})));
}

TEST(InstanceType, RefusesNumbersThatNoMachineHas) {
  for (const json& bad : {json{{"name", "Standard_Q"}, {"vCPUs", 4.7}, {"memoryGiB", 16}},
                          json{{"name", "Standard_Q"}, {"vCPUs", 1e30}, {"memoryGiB", 16}},
                          json{{"name", "Standard_Q"}, {"vCPUs", 4}, {"memoryGiB", "inf"}},
                          json{{"name", "Standard_Q"}, {"vCPUs", "4x"}, {"memoryGiB", 16}},
                          json{{"name", "Standard Q"}, {"vCPUs", 4}, {"memoryGiB", 16}}})
    EXPECT_FALSE(read_instance_types({bad, {}, ""})) << bad;
}

}  // namespace
}  // namespace sunup::fleet

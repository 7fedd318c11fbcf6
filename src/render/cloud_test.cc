#include "render/cloud.h"

#include <gtest/gtest.h>

namespace sunup::render {
namespace {

AzureCloud in(std::string_view location, std::string_view environment = "") {
  aksnodeconfig::v1::Configuration config;
  config.mutable_cluster_config()->set_location(std::string(location));
  config.mutable_custom_cloud_config()->set_custom_cloud_env_name(std::string(environment));
  return azure_cloud(config);
}

TEST(AzureCloud, FollowsFromTheLocationHoweverItIsSpelled) {
  EXPECT_EQ(in("chinaeast2"), AzureCloud::kChina);
  EXPECT_EQ(in("China\xC2\xA0"
               "East 2"),
            AzureCloud::kChina);
  EXPECT_EQ(in("CH\xC4\xB0NA"), AzureCloud::kChina) << "a dotted capital I lower-cases to i";
  EXPECT_EQ(in("Germany Central"), AzureCloud::kGerman);
  EXPECT_EQ(in("germanynortheast"), AzureCloud::kGerman);
  EXPECT_EQ(in("germanywestcentral"), AzureCloud::kPublic);
  EXPECT_EQ(in("germanycentral2"), AzureCloud::kPublic);
  EXPECT_EQ(in("USGov Virginia"), AzureCloud::kUsGovernment);
  EXPECT_EQ(in("usdodcentral"), AzureCloud::kUsGovernment);
  EXPECT_EQ(in("eastus"), AzureCloud::kPublic);
  EXPECT_EQ(in(""), AzureCloud::kPublic);
}

TEST(AzureCloud, IsCustomOnlyUnderItsOneName) {
  EXPECT_EQ(in("chinaeast2", "AKSCustom"), AzureCloud::kCustom);
  EXPECT_EQ(in("eastus",
               "a\xE2\x84\xAA\xC5\xBF"
               "CUSTOM"),
            AzureCloud::kCustom);
  EXPECT_EQ(in("chinaeast2", "AzureStackCloud"), AzureCloud::kChina);
  EXPECT_EQ(in("eastus", " akscustom"), AzureCloud::kPublic);
}

TEST(AzureCloud, IsNamedForScripts) {
  EXPECT_EQ(target_environment(AzureCloud::kCustom), "akscustom");
  EXPECT_EQ(target_cloud(AzureCloud::kCustom), "AzureStackCloud");
  EXPECT_EQ(target_environment(AzureCloud::kGerman), "AzureGermanCloud");
  EXPECT_EQ(target_cloud(AzureCloud::kGerman), "AzureGermanCloud");
}

TEST(ArmEndpoint, ComesFromTheCloudUnlessItIsCustom) {
  const auto* json = R"({"resourceManagerEndpoint": "https://x/"})";
  EXPECT_EQ(arm_endpoint(AzureCloud::kPublic, json), "https://management.azure.com/");
  EXPECT_EQ(arm_endpoint(AzureCloud::kGerman, json), "https://management.azure.com/");
  EXPECT_EQ(arm_endpoint(AzureCloud::kChina, json), "https://management.chinacloudapi.cn/");
  EXPECT_EQ(arm_endpoint(AzureCloud::kUsGovernment, json), "https://management.usgovcloudapi.net/");
  EXPECT_EQ(arm_endpoint(AzureCloud::kCustom, json), "https://x/");
}

TEST(ArmEndpoint, OfACustomCloudIsTheLastStringUnderAnyCaseOfTheName) {
  const auto custom = [](std::string_view json) { return arm_endpoint(AzureCloud::kCustom, json); };
  EXPECT_EQ(custom(R"({"RESOURCEMANAGERENDPOINT": "a", "resourceManagerEndpoint": "b"})"), "b");
  EXPECT_EQ(custom("{\"re\xC5\xBFourceManagerEndpoint\": \"a\"}"), "a");
  EXPECT_EQ(custom(R"({"\u0072esourceManagerEndpoint": "\ud800/"})"), "\xEF\xBF\xBD/");
  EXPECT_EQ(custom(R"({"resourceManagerEndpoint": "a", "resourcemanagerendpoint": null})"), "a");
  EXPECT_EQ(custom(R"({"resourceManagerEndpoint": 1, "resourcemanagerendpoint": "b"})"), "");
  EXPECT_EQ(custom(R"({"x": {"resourceManagerEndpoint": "a"}})"), "");
}

TEST(ArmEndpoint, OfACustomCloudIsEmptyWithoutUsableJson) {
  for (const auto* json : {"", "null", "[]", "\"a\"", R"({"resourceManagerEndpoint": "a"} x)",
                           R"({"resourceManagerEndpoint": "a",})", R"({"resourceManagerEndpoint": "a")"})
    EXPECT_EQ(arm_endpoint(AzureCloud::kCustom, json), "") << json;
}

}  // namespace
}  // namespace sunup::render

#include "render/node/cloud_files.h"

#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>

namespace sunup::render::node {
namespace {

using nlohmann::ordered_json;

ordered_json parsed(const Configuration& config) {
  const auto file = azure_json(config, {});
  EXPECT_TRUE(file);
  return ordered_json::parse(file->content);
}

std::vector<std::string> names(const ordered_json& json) {
  std::vector<std::string> found;
  for (const auto& [name, value] : json.items()) found.push_back(name);
  return found;
}

TEST(AzureJson, IsASecretFileFromBirth) {
  const auto file = azure_json({}, {});
  EXPECT_EQ(file->path, "/etc/kubernetes/azure.json");
  EXPECT_EQ(file->mode, 0600U);
  EXPECT_TRUE(file->secret);
}

TEST(AzureJson, MembersKeepTheirOrderAndV1HasThemAll) {
  Configuration config;
  config.mutable_cluster_config()->mutable_cloud_provider_config()->set_backoff_mode("v1");
  const std::vector<std::string> want = {"cloud",
                                         "tenantId",
                                         "subscriptionId",
                                         "aadClientId",
                                         "aadClientSecret",
                                         "resourceGroup",
                                         "location",
                                         "vmType",
                                         "subnetName",
                                         "securityGroupName",
                                         "vnetName",
                                         "vnetResourceGroup",
                                         "routeTableName",
                                         "primaryAvailabilitySetName",
                                         "primaryScaleSetName",
                                         "cloudProviderBackoffMode",
                                         "cloudProviderBackoff",
                                         "cloudProviderBackoffRetries",
                                         "cloudProviderBackoffExponent",
                                         "cloudProviderBackoffDuration",
                                         "cloudProviderBackoffJitter",
                                         "cloudProviderRateLimit",
                                         "cloudProviderRateLimitQPS",
                                         "cloudProviderRateLimitBucket",
                                         "cloudProviderRateLimitQPSWrite",
                                         "cloudProviderRateLimitBucketWrite",
                                         "useManagedIdentityExtension",
                                         "userAssignedIdentityID",
                                         "useInstanceMetadata",
                                         "loadBalancerSku",
                                         "disableOutboundSNAT",
                                         "excludeMasterFromStandardLB",
                                         "providerVaultName",
                                         "maximumLoadBalancerRuleCount",
                                         "providerKeyName",
                                         "providerKeyVersion"};
  EXPECT_EQ(names(parsed(config)), want);
}

TEST(AzureJson, BackoffV2IsTheDefaultAndDropsExponentAndJitter) {
  const ordered_json json = parsed({});
  EXPECT_EQ(json["cloudProviderBackoffMode"], "v2");
  EXPECT_FALSE(json.contains("cloudProviderBackoffExponent"));
  EXPECT_FALSE(json.contains("cloudProviderBackoffJitter"));
}

TEST(AzureJson, NumbersAndBooleansAreNotText) {
  const ordered_json json = parsed({});
  EXPECT_EQ(json["cloudProviderBackoffRetries"], 6);
  EXPECT_EQ(json["cloudProviderRateLimitQPS"], 10);
  EXPECT_EQ(json["maximumLoadBalancerRuleCount"], 148);
  EXPECT_EQ(json["excludeMasterFromStandardLB"], true);
  EXPECT_EQ(json["useManagedIdentityExtension"], false);
  EXPECT_EQ(json["loadBalancerSku"], "");
}

TEST(AzureJson, TheSecretIsDecodedAndEscaped) {
  Configuration config;
  config.mutable_auth_config()->set_service_principal_secret("c2VjcmV0JCJgXCcK");  // secret$"`\' and a newline
  EXPECT_EQ(parsed(config)["aadClientSecret"], "secret$\"`\\'");
  EXPECT_EQ(parsed({})["aadClientSecret"], "");
}

TEST(AzureJson, ANumberThatJsonCannotSayIsAnError) {
  Configuration config;
  config.mutable_cluster_config()->mutable_cloud_provider_config()->set_rate_limit_qps(
      std::numeric_limits<double>::infinity());
  EXPECT_FALSE(azure_json(config, {}));
}

TEST(CloudFiles, OnlyACustomCloudIsDescribed) {
  EXPECT_EQ(cloud_files({}, {})->size(), 1U);
  Configuration config;
  config.mutable_custom_cloud_config()->set_custom_cloud_env_name("AKSCustom");
  config.mutable_custom_cloud_config()->set_custom_env_json_content("eyJuYW1lIjoieCJ9");  // {"name":"x"}
  const auto files = cloud_files(config, {});
  ASSERT_EQ(files->size(), 2U);
  EXPECT_EQ((*files)[1].path, "/etc/kubernetes/akscustom.json");
  EXPECT_EQ((*files)[1].mode, 0600U);
  EXPECT_EQ((*files)[1].content, R"({"name":"x"})");
  config.mutable_custom_cloud_config()->set_custom_env_json_content("{\"name\": \"y\"}");
  EXPECT_EQ((*cloud_files(config, {}))[1].content, "{\"name\": \"y\"}");
  config.mutable_custom_cloud_config()->set_custom_env_json_content("{truncated");
  EXPECT_FALSE(cloud_files(config, {}));
}

}  // namespace
}  // namespace sunup::render::node

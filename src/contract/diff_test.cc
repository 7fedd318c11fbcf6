#include "contract/diff.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace sunup::contract {
namespace {

using testing::ElementsAre;

std::vector<std::string> between(const std::string& left, const std::string& right) {
  const auto config = [](const std::string& members) {
    auto loaded = load_text("{\"version\":\"v1\"" + (members.empty() ? "" : "," + members) + "}", "f");
    EXPECT_TRUE(loaded.ok()) << members;
    return loaded->config;
  };
  std::vector<std::string> out;
  for (const Difference& difference : diff(config(left), config(right)))
    out.push_back(difference.path + ": " + difference.left.value_or("unset") + " -> " +
                  difference.right.value_or("unset"));
  return out;
}

TEST(Diff, IsEmptyForConfigsThatMeanTheSame) {
  EXPECT_THAT(between(R"("vm_size":"a","network_config":{"network_plugin":2},"is_kata":false)",
                      R"("networkConfig":{"networkPlugin":"NETWORK_PLUGIN_AZURE"},"vmSize":"a","cse_timeout":null)"),
              ElementsAre());
}

TEST(Diff, NamesEachFieldWithBothValues) {
  EXPECT_THAT(between(R"("vm_size":"a","is_vhd":true)", R"("vm_size":"b","cse_timeout":5)"),
              ElementsAre("$.vm_size: \"a\" -> \"b\"", "$.is_vhd: true -> unset", "$.cse_timeout: unset -> 5"));
}

TEST(Diff, GoesIntoMapsKeyByKeyAndTakesListsAsAWhole) {
  EXPECT_THAT(between(R"("enabled_features":{"A":"1","B":"2"},"custom_ca_certs":["x"])",
                      R"("enabled_features":{"B":"3","C":"4"},"custom_ca_certs":["x","y"])"),
              ElementsAre("$.custom_ca_certs: [\"x\"] -> [\"x\", \"y\"]", "$.enabled_features[\"A\"]: \"1\" -> unset",
                          "$.enabled_features[\"B\"]: \"2\" -> \"3\"", "$.enabled_features[\"C\"]: unset -> \"4\""));
  EXPECT_THAT(between(R"("local_dns_profile":{"vnet_dns_overrides":{".":{"max_concurrent":1}}})",
                      R"("local_dns_profile":{"vnet_dns_overrides":{".":{"max_concurrent":2},"a":{}}})"),
              ElementsAre("$.local_dns_profile.vnet_dns_overrides[\".\"].max_concurrent: 1 -> 2",
                          "$.local_dns_profile.vnet_dns_overrides[\"a\"]: unset -> {}"));
}

TEST(Diff, TellsAnEmptyMessageFromNone) {
  EXPECT_THAT(between(R"("custom_linux_os_config":{})", R"("custom_linux_os_config":{"ulimit_config":{}})"),
              ElementsAre("$.custom_linux_os_config.ulimit_config: unset -> {}"));
}

TEST(Diff, HidesSecrets) {
  EXPECT_THAT(between(R"("auth_config":{"service_principal_secret":"hunter2"})",
                      R"("auth_config":{"service_principal_secret":"hunter3"})"),
              ElementsAre("$.auth_config.service_principal_secret: (secret) -> (secret)"));
  EXPECT_THAT(between("", R"("auth_config":{"service_principal_secret":"hunter3"})"),
              ElementsAre("$.auth_config.service_principal_secret: unset -> (secret)"));
}

TEST(Diff, KnowsWhatADifferenceChangesOnTheNode) {
  Configuration left;
  Configuration right;
  (*right.mutable_kubelet_config()->mutable_kubelet_flags())["--v"] = "2";
  const auto differences = diff(left, right);
  ASSERT_EQ(differences.size(), 1u);
  ASSERT_NE(differences[0].doc, nullptr);
  EXPECT_THAT(differences[0].doc->variables, ElementsAre("KUBELET_FLAGS"));
  EXPECT_THAT(differences[0].doc->files, ElementsAre("/etc/default/kubelet"));
}

}  // namespace
}  // namespace sunup::contract

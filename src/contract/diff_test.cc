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
    return *std::move(loaded);
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

TEST(Diff, HidesTheCredentialsOfUrlsInOtherFields) {
  EXPECT_THAT(between(R"("kube_binary_config":{"kube_binary_url":"https://u:first@h/a"})",
                      R"("kube_binary_config":{"kube_binary_url":"https://u:second@h/b"})"),
              ElementsAre("$.kube_binary_config.kube_binary_url: \"https://u:(secret)@h/a\" -> "
                          "\"https://u:(secret)@h/b\""));
}

TEST(Diff, NamesUnknownFieldsThatDifferButNotTheirValues) {
  EXPECT_THAT(between(R"("zz":1,"yy":{"a":1,"b":2},"kubelet_config":{"new":1})",
                      R"("zz":2,"yy":{"b":2, "a":1},"xx":3,"kubelet_config":{"new":2})"),
              ElementsAre("$.kubelet_config.new: (unknown, not shown) -> (unknown, not shown)",
                          "$.xx: unset -> (unknown, not shown)", "$.zz: (unknown, not shown) -> (unknown, not shown)"));
}

TEST(Diff, CountsAFieldOnceThatOneSideGivesAValueNobodyKnows) {
  EXPECT_THAT(between(R"("network_config":{"network_plugin":"NETWORK_PLUGIN_AZURE"})",
                      R"("network_config":{"network_plugin":"NETWORK_PLUGIN_CALICO"})"),
              ElementsAre("$.network_config.network_plugin: \"NETWORK_PLUGIN_AZURE\" -> (unknown, not shown)"));
}

TEST(Diff, CanBeTakenOverOneByOne) {
  const auto left = load_text(R"({"version":"v1","vm_size":"a","kubelet_config":{"kubelet_flags":{"--v":"1"},
                                  "kubelet_client_key":"k"},"custom_linux_os_config":{"ulimit_config":{}}})",
                              "f");
  const auto right =
      load_text(R"({"version":"v1","is_vhd":true,"kubelet_config":{"kubelet_flags":{"--v":"2","--w":"3"}},
                                   "custom_ca_certs":["x"],"api_server_config":{"api_server_name":"n"}})",
                "f");
  ASSERT_TRUE(left.ok() && right.ok());
  Configuration config = left->config;
  for (const Difference& difference : diff(*left, *right)) config = taken_over(config, right->config, difference);
  EXPECT_THAT(diff(config, right->config), testing::IsEmpty());
}

}  // namespace
}  // namespace sunup::contract

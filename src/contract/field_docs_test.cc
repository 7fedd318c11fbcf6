#include "contract/field_docs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "contract/explain.h"

namespace sunup::contract {
namespace {

using testing::AnyOf;
using testing::Contains;
using testing::ElementsAre;
using testing::Not;

TEST(FieldDocs, SayWhatEveryFieldIsAndWhoSetsIt) {
  EXPECT_GE(field_docs().size(), 257u);
  for (const FieldDoc& doc : field_docs()) {
    EXPECT_FALSE(doc.meaning.empty()) << doc.path;
    EXPECT_THAT(doc.set_by, AnyOf("cluster", "node pool", "release", "cloud", "operator")) << doc.path;
  }
}

TEST(FieldDocs, NameVariablesAndFilesInTheirOwnForm) {
  for (const FieldDoc& doc : field_docs()) {
    for (const std::string& variable : doc.variables)
      EXPECT_TRUE(std::all_of(variable.begin(), variable.end(),
                              [&](char c) { return std::isupper(c) || std::isdigit(c) || c == '_'; }) ||
                  variable.find_first_of("<(") != std::string::npos)
          << doc.path << ": " << variable;
    for (const std::string& file : doc.files) EXPECT_EQ(file[0], '/') << doc.path << ": " << file;
  }
}

TEST(FieldDocs, SayWhatEveryEnumValueMeans) {
  for (const FieldDoc& doc : field_docs()) {
    const EnumType* type = doc.field->enumeration;
    if (!type) continue;
    for (const EnumValue& value : type->values) EXPECT_FALSE(enum_value_meaning(*type, value).empty()) << value.name;
  }
}

TEST(FieldDocs, TakeFromTheMessageWhatTheFieldDoesNotSay) {
  const FieldDoc* somaxconn = doc_of_path("custom_linux_os_config.sysctl_config.net_core_somaxconn");
  ASSERT_NE(somaxconn, nullptr);
  EXPECT_THAT(somaxconn->variables, ElementsAre("SYSCTL_CONTENT"));
  EXPECT_THAT(somaxconn->files, ElementsAre("/etc/sysctl.d/999-sysctl-aks.conf"));
  EXPECT_EQ(somaxconn->default_value, "16384");
  EXPECT_EQ(somaxconn->set_by, "node pool");
  EXPECT_THAT(doc_of_path("custom_linux_os_config.ulimit_config")->variables, Contains("CONTAINERD_ULIMITS"));
}

TEST(FieldDocs, AreFoundByEveryFormOfAPath) {
  const auto path = [](std::string_view asked) {
    const FieldDoc* doc = doc_of_path(asked);
    return doc ? doc->path : "none";
  };
  EXPECT_EQ(path("vm_size"), "vm_size");
  EXPECT_EQ(path("$.vmSize"), "vm_size");
  EXPECT_EQ(path("kubeletConfig.kubelet_flags"), "kubelet_config.kubelet_flags");
  EXPECT_EQ(path("$.kubelet_config.kubelet_flags[\"--a.b]\\\"\"]"), "kubelet_config.kubelet_flags");
  EXPECT_EQ(path("kubelet_config.kubelet_flags.--max-pods"), "kubelet_config.kubelet_flags");
  EXPECT_EQ(path("$.custom_ca_certs[3]"), "custom_ca_certs");
  EXPECT_EQ(path("$.local_dns_profile.vnet_dns_overrides[\".\"].protocol"),
            "local_dns_profile.vnet_dns_overrides.*.protocol");
  EXPECT_EQ(path("local_dns_profile.vnet_dns_overrides.*.health_check.no_rec"),
            "local_dns_profile.vnet_dns_overrides.*.health_check.no_rec");
  for (const char* bad : {"", "$", "x", "vm_size.x", "vm_size[0]", "[0]", "kubelet_config.x", "kubelet_config..x", "["})
    EXPECT_EQ(path(bad), "none") << bad;
}

std::vector<std::string> found(std::string_view question) {
  std::vector<std::string> out;
  for (const FieldDoc* doc : find_field(question).fields) out.push_back(doc->path);
  return out;
}

TEST(Explain, FindsAFieldByItsNameAlone) {
  EXPECT_THAT(found("maxPods"), ElementsAre("kubelet_config.kubelet_config_file_config.max_pods"));
  EXPECT_THAT(found("cluster_network_config.subnet"), ElementsAre("cluster_config.cluster_network_config.subnet"));
}

TEST(Explain, ListsAllFieldsOfOneName) {
  EXPECT_THAT(found("enabled"),
              ElementsAre("kubelet_config.kubelet_config_file_config.authentication.webhook.enabled",
                          "kubelet_config.kubelet_config_file_config.authentication.anonymous.enabled",
                          "service_account_image_pull_profile.enabled"));
}

TEST(Explain, FindsTheFieldsBehindAVariable) {
  EXPECT_THAT(found("CSE_TIMEOUT"), ElementsAre("cse_timeout"));
  EXPECT_THAT(found("SHOULD_CONFIG_SWAP_FILE"),
              ElementsAre("custom_linux_os_config.enable_swap_config", "custom_linux_os_config.swap_file_size"));
}

TEST(Explain, TakesAPartsNameBelowAMapForThePartNotForAKey) {
  EXPECT_THAT(found("local_dns_profile.vnet_dns_overrides.protocol"),
              ElementsAre("local_dns_profile.vnet_dns_overrides.*.protocol"));
  EXPECT_THAT(found("local_dns_profile.vnet_dns_overrides.internal"),
              ElementsAre("local_dns_profile.vnet_dns_overrides"));
}

TEST(Explain, NamesTheVariablesOfAMessageByItsParts) {
  EXPECT_THAT(variables_of(*find_field("custom_search_domain_config").fields.at(0)),
              ElementsAre("CUSTOM_SEARCH_DOMAIN_NAME", "HAS_CUSTOM_SEARCH_DOMAIN", "CUSTOM_SEARCH_REALM_USER",
                          "CUSTOM_SEARCH_REALM_PASSWORD"));
  EXPECT_THAT(variables_of(*find_field("cse_timeout").fields.at(0)), ElementsAre("CSE_TIMEOUT"));
}

TEST(Explain, FindsAFieldThatIsSpelledWithDashes) {
  EXPECT_THAT(find_field("kubelet-flags").fields, testing::SizeIs(1));
  EXPECT_THAT(find_field("node-labels").suggestions, Contains("kubelet_config.kubelet_node_labels"));
}

TEST(Explain, SuggestsWhatWasLikelyMeant) {
  EXPECT_THAT(found("subnett"), ElementsAre());
  EXPECT_THAT(find_field("subnett").suggestions, Contains("cluster_config.cluster_network_config.subnet"));
  EXPECT_THAT(find_field("swap").suggestions, Contains("custom_linux_os_config.swap_file_size"));
  EXPECT_THAT(find_field("maxPodsCount").suggestions, Contains("kubelet_config.kubelet_config_file_config.max_pods"));
  EXPECT_EQ(find_field("TLS_TOKEN").suggestions.at(0), "bootstrapping_config.tls_bootstrapping_token");
  EXPECT_THAT(find_field("cluster_config.locaton").suggestions, ElementsAre("cluster_config.location"));
}

TEST(Explain, SuggestsNothingThatIsOnlyRemotelySimilar) {
  for (const char* other : {"qqqqqqqqqqqq", "foo", "x", "vm_name", "zebra", "nodepool", "config_url", "cluster_name",
                            "custom_data_template", "kubernetes_cluster_autoscaler_profile"})
    EXPECT_THAT(find_field(other).suggestions, ElementsAre()) << other;
}

}  // namespace
}  // namespace sunup::contract

#include "fleet/sources/settings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fleet/resolve/test_node.h"

namespace sunup::fleet {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

std::string errors_with(const std::string& name, const json& value) {
  json settings = TestNode().settings;
  settings[name] = value;
  Findings findings;
  check_settings(read_settings({{settings, {}, ""}}, {}, findings), findings);
  return describe(findings, Severity::kError);
}

TEST(Settings, TakesTheFileBeforeTheEnvironmentBeforeWhatIsBuiltIn) {
  Findings findings;
  const Environment environment = {{"NETWORK_POLICY", "calico"}, {"LOCATION", " westus "}};
  const Settings settings = read_settings({{{{"network-policy", "cilium"}}, {}, ""}}, environment, findings);
  EXPECT_EQ(settings.text(Option::kNetworkPolicy), "cilium");
  EXPECT_EQ(settings.at(Option::kNetworkPolicy).origin().source, Source::kSettings);
  EXPECT_EQ(settings.at(Option::kNetworkPolicy).beaten().back().value, "calico");
  EXPECT_EQ(settings.text(Option::kLocation), "westus");
  EXPECT_EQ(settings.text(Option::kNetworkPlugin), "azure");
  EXPECT_EQ(settings.at(Option::kNetworkPlugin).origin().source, Source::kHardcoded);
}

TEST(Settings, PrefersTodaysVariableNamesToTheOlderOnes) {
  Findings findings;
  const Settings settings =
      read_settings({}, {{"ARM_SUBSCRIPTION_ID", "old"}, {"AZURE_SUBSCRIPTION_ID", "new"}}, findings);
  EXPECT_EQ(settings.text(Option::kSubscriptionId), "new");
}

TEST(Settings, KnowsAnOptionByFlagVariableOrField) {
  for (const char* name : {"cluster-name", "--cluster-name", "CLUSTER_NAME", "clusterName", "azure.clusterName"}) {
    Findings findings;
    EXPECT_EQ(read_settings({{{{name, "cl"}}, {}, ""}}, {}, findings).text(Option::kClusterName), "cl") << name;
    EXPECT_THAT(findings, IsEmpty()) << name;
  }
}

TEST(Settings, ReadsTheOlderConfigMap) {
  Findings findings;
  const Settings settings = read_settings({{json::parse(R"({
      "apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "karpenter-global-settings"},
      "data": {"azure.clusterName": "cl", "azure.networkPlugin": "overlay", "azure.tags": "{\"a\": \"b\"}",
               "azure.nodeIdentities": "[\"i1\", \"i2\"]", "azure.clusterID": "12345678",
               "azure.kubeletClientTLSBootstrapToken": "a.b", "azure.vmMemoryOverheadPercent": "0.1"}})"),
                                            {},
                                            ""}},
                                          {}, findings);
  EXPECT_THAT(findings, IsEmpty());
  EXPECT_TRUE(settings.overlay());
  EXPECT_EQ(settings.map(Option::kAdditionalTags).at("a"), "b");
  EXPECT_EQ(settings.list(Option::kNodeIdentities).size(), 2u);
  EXPECT_EQ(settings.text(Option::kClusterId), "12345678");
  EXPECT_EQ(settings.number(Option::kVmMemoryOverheadPercent), 0.1);
}

TEST(Settings, WarnsOfANameThatNobodyReads) {
  Findings findings;
  read_settings({{{{"network-pligun", "azure"}}, {}, "s.yaml"}}, {}, findings);
  EXPECT_THAT(describe(findings, Severity::kWarning),
              HasSubstr("network-pligun: there is no such setting; it has no effect (rule: unknown-setting); did you "
                        "mean network-plugin?"));
}

TEST(Settings, SaysEverythingThatIsMissingAtOnce) {
  Findings findings;
  check_settings(Settings(), findings);
  const std::string errors = describe(findings, Severity::kError);
  for (const char* name : {"cluster-name", "cluster-endpoint", "kubelet-bootstrap-token", "ssh-public-key",
                           "vnet-subnet-id", "node-resource-group", "subscription-id"})
    EXPECT_THAT(errors, HasSubstr(std::string(name) + ": must be set (rule: required)"));
}

struct RuleCase {
  const char* name;
  json good;
  json bad;
};
class SettingsRule : public ::testing::TestWithParam<RuleCase> {};

TEST_P(SettingsRule, AcceptsTheGoodValueAndNamesTheBadOne) {
  const RuleCase& rule = GetParam();
  EXPECT_EQ(errors_with(rule.name, rule.good), "");
  EXPECT_THAT(errors_with(rule.name, rule.bad), HasSubstr(std::string(rule.name) + ": "));
}

INSTANTIATE_TEST_SUITE_P(
    Options, SettingsRule,
    ::testing::Values(
        RuleCase{"cluster-endpoint", "https://a", "a.b.c"}, RuleCase{"vm-memory-overhead-percent", 0, -0.1},
        RuleCase{"linux-admin-username", std::string(32, 'a'), std::string(33, 'a')},
        RuleCase{"linux-admin-username", "a-b_1", "1a"}, RuleCase{"network-plugin", "azure", "kubenet"},
        RuleCase{"network-plugin-mode", "", "vlan"}, RuleCase{"network-dataplane", "azure", "iptables"},
        RuleCase{"dns-service-ip", "fd00::a", "10.0.0"},
        RuleCase{"vnet-guid", "61f71907-753f-4802-a901-47361c3664f2", "61f71907"},
        RuleCase{"vnet-subnet-id",
                 "/Subscriptions/s/resourceGroups/r/providers/Microsoft.Network/virtualNetworks/v/subnets/n",
                 "/subscriptions/s/subnets/n"},
        RuleCase{"kubelet-identity-client-id", "61f71907-753f-4802-a901-47361c3664f2", "me"},
        RuleCase{"node-osdisk-diskencryptionset-id",
                 "/subscriptions/s/resourceGroups/r/providers/Microsoft.Compute/DiskEncryptionSets/d",
                 "/subscriptions/s/resourceGroups/r/providers/Microsoft.Compute/disks/d"},
        RuleCase{"provision-mode", "aksscriptless", "magic"}, RuleCase{"use-sig", "false", "maybe"},
        RuleCase{"additional-tags", std::string(512, 'k') + "=v", std::string(513, 'k') + "=v"},
        RuleCase{"additional-tags", "a=b", "a/b=c"}, RuleCase{"additional-tags", "a=b,c=d", "a=b,A=d"},
        RuleCase{"kubernetes-version", "v1.33.1", "latest"}, RuleCase{"cloud", "AzureChinaCloud", "MyCloud"},
        RuleCase{"provider-batch-idle-duration", "2s", "soon"}, RuleCase{"additional-tags", R"({"a": "b"})", "{bad"},
        RuleCase{"additional-tags", "a=b", "[1]"}, RuleCase{"additional-tags", "a=", "novalue"},
        RuleCase{"additional-tags", "a=1,b=2", "a=1,a=2"}, RuleCase{"additional-tags", "a=b", R"({"a": {"b": "c"}})"},
        RuleCase{"node-identities", R"(["i"])", "[bad"}, RuleCase{"node-identities", "a,b", "[1]"},
        RuleCase{"cluster-id", "46593302", "abc"}));

TEST(Settings, JudgesOptionsThatDependOnOthers) {
  EXPECT_THAT(errors_with("network-plugin", "none"), HasSubstr("must be empty when network-plugin is none"));
  EXPECT_THAT(errors_with("use-sig", true), HasSubstr("sig-subscription-id: must be set with use-sig"));
  EXPECT_THAT(errors_with("use-sig", true), HasSubstr("sig-access-token-server-url"));
  EXPECT_THAT(errors_with("provision-mode", "bootstrappingclient"), HasSubstr("nodebootstrapping-server-url"));
  EXPECT_THAT(errors_with("provision-mode", "aksmachineapi"), HasSubstr("aks-machines-pool-name"));
}

struct NoEffectCase {
  const char* name;
  json value;
};
class SettingsWithoutEffect : public ::testing::TestWithParam<NoEffectCase> {};

TEST_P(SettingsWithoutEffect, AreAcceptedAndSaidToHaveNone) {
  json settings = TestNode().settings;
  settings["provision-mode"] = "bootstrappingclient";
  settings["nodebootstrapping-server-url"] = "http://bootstrap";
  settings["network-plugin-mode"] = "";
  settings.erase("vnet-guid");
  settings[GetParam().name] = GetParam().value;
  Findings findings;
  check_settings(read_settings({{settings, {}, ""}}, {}, findings), findings);
  EXPECT_EQ(describe(findings, Severity::kError), "");
  EXPECT_THAT(describe(findings, Severity::kWarning), HasSubstr(std::string(GetParam().name) + ": "));
}

INSTANTIATE_TEST_SUITE_P(
    Options, SettingsWithoutEffect,
    ::testing::Values(
        NoEffectCase{"sig-access-token-server-url", "https://tokens"}, NoEffectCase{"sig-subscription-id", "s"},
        NoEffectCase{"vnet-guid", "61f71907-753f-4802-a901-47361c3664f2"}, NoEffectCase{"no-proxy", "a,b"},
        NoEffectCase{"manage-existing-aks-machines", true}, NoEffectCase{"aks-machines-pool-name", "pool"},
        NoEffectCase{"provider-batch-idle-duration", "2s"}, NoEffectCase{"provider-batch-max-duration", "9s"},
        NoEffectCase{"provider-batch-max-size", 9}, NoEffectCase{"enable-azure-sdk-logging", false},
        NoEffectCase{"resource-group", "rg"}, NoEffectCase{"azure-environment-filepath", "/etc/x.json"},
        NoEffectCase{"proxy-trusted-ca", "Q0EK"}, NoEffectCase{"system-namespace", "kube-system"},
        NoEffectCase{"log-level", "debug"}));

constexpr char kCaBundle[] =
    "LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0tCk1JSUJWakNCL2FBREFnRUNBZ0VCTUFvR0NDcUdTTTQ5QkFNQ01CSXhFREFPQmdO"
    "VkJBTU1CMlJsYlc4dFkyRXcKSUJjTk1qUXdNVEF4TURBd01EQXdXaGdQTWpFeU5EQXhNREV3TURBd01EQmFNQkl4RURBT0JnTlZC"
    "QU1NQjJSbApiVzh0WTJFd1dUQVRCZ2NxaGtqT1BRSUJCZ2dxaGtqT1BRTUJCd05DQUFRWW85SEpUUVBKcnIxcFV1dEMvQWtyClpD"
    "cC9PcURsS2p6WUlSUWtxTWsxWllIZllvUUdYcG5rZjEyUjVIS3Rac2VxblUvZG01TC9LOTFDRFU1UzRwdnMKbzBJd1FEQVBCZ05W"
    "SFJNQkFmOEVCVEFEQVFIL01BNEdBMVVkRHdFQi93UUVBd0lCaGpBZEJnTlZIUTRFRmdRVQpCSW5ENXA2TUliQloyRFFsMlFNR29x"
    "MzRneDB3Q2dZSUtvWkl6ajBFQXdJRFNBQXdSUUloQU9udXEvMldwZy9GCmlWQlphRDJMK29vazYvd2JvaW4rcXBxOUl6MURwVXVp"
    "QWlBWVg0UWdpeGZVbEVRS0ZQc0xxYm9lL0xTUE54OGIKMGFDeXlaNWkvdkJFdlE9PQotLS0tLUVORCBDRVJUSUZJQ0FURS0tLS0t"
    "Cg==";

TEST(Settings, WarnsOfNothingWhereEverythingTakesEffect) {
  TestNode test;
  test.settings["ca-bundle"] = kCaBundle;
  Findings findings;
  check_settings(read_settings({{test.settings, {}, ""}}, {}, findings), findings);
  EXPECT_EQ(describe(findings, Severity::kWarning), "");
}

TEST(Settings, WantsCertificatesInTheCaBundle) {
  const auto said = [](const char* bundle, Severity severity) {
    TestNode test;
    test.settings["ca-bundle"] = bundle;
    Findings findings;
    check_settings(read_settings({{test.settings, {}, "s.yaml"}}, {}, findings), findings);
    return describe(findings, severity);
  };
  EXPECT_THAT(said("not base64!!", Severity::kError), HasSubstr("s.yaml: ca-bundle: "));
  EXPECT_THAT(said("Q0EK", Severity::kWarning), HasSubstr("contains no PEM certificate"));
}

TEST(Settings, NeverShowsACredentialInAnError) {
  json settings = TestNode().settings;
  settings["https-proxy"] = "http://user:hunter2@proxy";
  Findings findings;
  check_settings(read_settings({{settings, {}, ""}}, {}, findings), findings);
  EXPECT_THAT(describe(findings, Severity::kError) + describe(findings, Severity::kWarning), Not(HasSubstr("hunter2")));
}

Findings read_text(const char* yaml, Settings& settings, const Environment& environment = {}) {
  Findings findings;
  const auto documents = read_documents(yaml, "s.yaml");
  EXPECT_TRUE(documents) << documents.error().what;
  settings = read_settings(*documents, environment, findings);
  check_settings(settings, findings);
  return findings;
}

TEST(Settings, KeepWhatTheirAuthorWrote) {
  Settings settings;
  read_text("kubernetes-version: 1.30\nlocation: 007\nno-proxy: [1.10, a]\nenv: [{name: TENANT_ID, value: 1e3}]",
            settings);
  EXPECT_EQ(settings.text(Option::kKubernetesVersion), "1.30");
  EXPECT_EQ(settings.text(Option::kLocation), "007");
  EXPECT_EQ(settings.text(Option::kNoProxy), "1.10,a");
  EXPECT_EQ(settings.text(Option::kTenantId), "1e3");
}

TEST(Settings, RefuseANumberThatMayHaveLostDigits) {
  Findings findings;
  read_settings({{{{"kubernetes-version", 1.3}}, {}, ""}}, {}, findings);
  EXPECT_THAT(describe(findings, Severity::kError), HasSubstr("kubernetes-version: "));
}

TEST(Settings, RefuseAVariableWithoutANameAndSayWhichComeFromElsewhere) {
  Settings settings;
  EXPECT_THAT(describe(read_text("env: [{name: 5, value: x}]", settings), Severity::kError),
              HasSubstr("s.yaml:1: env[0]"));
  EXPECT_THAT(describe(read_text("env: [text]", settings), Severity::kError), HasSubstr("env[0]: must have a name"));
  EXPECT_THAT(describe(read_text("env: [{name: LOCATION, valueFrom: {configMapKeyRef: {name: a}}}]", settings),
                       Severity::kWarning),
              HasSubstr("env[0].valueFrom: LOCATION comes from another object"));
}

TEST(Settings, TakeAnEmptyVariableForAChoiceWhereNothingIsOne) {
  Settings settings;
  read_text("{}", settings, {{"NETWORK_PLUGIN", "none"}, {"NETWORK_PLUGIN_MODE", ""}, {"NETWORK_DATAPLANE", ""}});
  EXPECT_EQ(settings.text(Option::kNetworkPluginMode), "");
  EXPECT_EQ(settings.text(Option::kNetworkDataplane), "");
  EXPECT_EQ(settings.at(Option::kNetworkPluginMode).origin().source, Source::kEnvironment);
  // For other options an empty value counts as unset, and the next name is used.
  read_text("{}", settings, {{"AZURE_TENANT_ID", ""}, {"ARM_TENANT_ID", "t"}, {"NETWORK_PLUGIN", ""}});
  EXPECT_EQ(settings.text(Option::kTenantId), "t");
  EXPECT_EQ(settings.text(Option::kNetworkPlugin), "azure");
}

TEST(Settings, WarnOfVariablesThatNobodyReadsAnyMore) {
  for (const char* name :
       {"ARM_VM_TYPE", "AZURE_SUBNET_NAME", "AZURE_VNET_NAME", "ARM_USE_MANAGED_IDENTITY_EXTENSION"}) {
    Settings settings;
    EXPECT_THAT(describe(read_text("{}", settings, {{name, "x"}}), Severity::kWarning),
                HasSubstr(std::string("environment variable ") + name + ": belongs to an older controller"));
    EXPECT_THAT(describe(read_text((std::string(name) + ": x").c_str(), settings), Severity::kWarning),
                HasSubstr("belongs to an older controller"));
  }
}

std::string findings_of(const json& settings, Severity severity) {
  Findings findings;
  check_settings(read_settings({{settings, {}, ""}}, {}, findings), findings);
  return describe(findings, severity);
}

TEST(Settings, WarnOfNothingThatAnotherSettingDemands) {
  json settings = TestNode().settings;
  settings["ca-bundle"] = "";
  settings["use-sig"] = true;
  settings["sig-subscription-id"] = "s";
  settings["sig-access-token-server-url"] = "https://tokens";
  settings["provision-mode"] = "bootstrappingclient";
  settings["nodebootstrapping-server-url"] = "http://bootstrap";
  EXPECT_EQ(findings_of(settings, Severity::kError), "");
  EXPECT_EQ(findings_of(settings, Severity::kWarning), "");
  EXPECT_THAT(findings_of(settings, Severity::kNote), HasSubstr("sig-access-token-server-url: is not contacted"));
  EXPECT_THAT(findings_of(settings, Severity::kNote), HasSubstr("nodebootstrapping-server-url: is not contacted"));
}

TEST(Settings, WarnOfTheBootstrappingServerInAnotherMode) {
  json settings = TestNode().settings;
  settings["nodebootstrapping-server-url"] = "http://bootstrap";
  EXPECT_THAT(findings_of(settings, Severity::kWarning),
              HasSubstr("nodebootstrapping-server-url: is only used in mode bootstrappingclient"));
}

TEST(Settings, RefuseASecurityGroupThatAksDoesNotMakeOrThatContradictsTheClusterId) {
  EXPECT_EQ(errors_with("network-security-group", "AKS-AGENTPOOL-46593302-NSG"), "");
  EXPECT_THAT(errors_with("network-security-group", "foo"), HasSubstr("network-security-group: is 'foo', must match"));
  EXPECT_EQ(errors_with("cluster-id", "46593302"), "");
  EXPECT_THAT(errors_with("cluster-id", "11111111"),
              HasSubstr("cluster-id: is '11111111', must be the number in network-security-group, 46593302"));
}

TEST(Settings, SayWhenTheSecurityGroupIsOnlyAssumed) {
  json settings = TestNode().settings;
  settings.erase("network-security-group");
  EXPECT_THAT(findings_of(settings, Severity::kWarning), HasSubstr("network-security-group: is unknown"));
  settings["cluster-id"] = "46593302";
  EXPECT_THAT(findings_of(settings, Severity::kWarning), Not(HasSubstr("network-security-group")));
}

TEST(Settings, RefuseOneOptionUnderTwoNamesInOneDocument) {
  json settings = TestNode().settings;
  settings["CLUSTER_NAME"] = "other";
  EXPECT_THAT(findings_of(settings, Severity::kError),
              HasSubstr("cluster-name: is option cluster-name, which CLUSTER_NAME already sets (rule: duplicate)"));
}

TEST(Settings, KeepTheOlderVariableAsBeatenByTodays) {
  Findings findings;
  const Settings settings =
      read_settings({}, {{"ARM_SUBSCRIPTION_ID", "old"}, {"AZURE_SUBSCRIPTION_ID", "new"}}, findings);
  EXPECT_EQ(settings.at(Option::kSubscriptionId).beaten().back().value, "old");
}

TEST(Settings, RefuseValuesOfAnotherType) {
  for (const auto& [name, value] :
       std::initializer_list<std::pair<const char*, json>>{{"network-policy", {{"a", 1}}},
                                                           {"network-policy", {"a", "b"}},
                                                           {"cluster-name", true},
                                                           {"use-sig", {true}},
                                                           {"node-identities", {{"a", "b"}}},
                                                           {"node-identities", {{{"a", "b"}}}},
                                                           {"additional-tags", {"a"}},
                                                           {"additional-tags", {{"a", {1}}}},
                                                           {"additional-tags", {{"a", nullptr}}},
                                                           {"provider-batch-max-size", {1}}})
    EXPECT_THAT(errors_with(name, value), HasSubstr(std::string(name) + ": must be")) << name << ": " << value;
  EXPECT_THAT(errors_with("azure.nodeIdentities", R"({"a": 1})"), HasSubstr("must be a list"));
}

TEST(Settings, WantTheIdentitiesOfTheOlderConfigMapInJson) {
  for (const char* not_json : {"/subscriptions/s/id-1", "id-1,id-2", "\"id-1\""})
    EXPECT_THAT(errors_with("azure.nodeIdentities", not_json), HasSubstr("must be a JSON array in the ConfigMap"));
  EXPECT_THAT(errors_with("azure.nodeIdentities", "[id-1]"), HasSubstr("must be a list: a,b or a JSON array"));
  for (const char* good : {"[]", R"(["id-1"])", " [\"id-1\"]\n"})
    EXPECT_EQ(errors_with("azure.nodeIdentities", good), "") << good;
  EXPECT_EQ(errors_with("node-identities", "id-1,id-2"), "");
}

TEST(Settings, RefuseASubnetNameThatAzureDoesNotGive) {
  const std::string id = TestNode().settings["vnet-subnet-id"];
  EXPECT_EQ(errors_with("vnet-subnet-id", id), "");
  EXPECT_THAT(errors_with("vnet-subnet-id", id + "-"), HasSubstr("vnet-subnet-id: is '"));
  EXPECT_THAT(errors_with("vnet-subnet-id", id + "-"),
              HasSubstr("the subnet's name 'aks-subnet-' must have at most 80"));
  EXPECT_THAT(errors_with("vnet-subnet-id", id + "-"), HasSubstr("(rule: name)"));
}

TEST(Settings, TakeNullForNothingAndSaySo) {
  json settings = TestNode().settings;
  settings["network-policy"] = nullptr;
  Findings findings;
  EXPECT_EQ(read_settings({{settings, {}, ""}}, {}, findings).text(Option::kNetworkPolicy), "");
  EXPECT_THAT(describe(findings, Severity::kWarning), HasSubstr("network-policy: is null, which has no effect"));
}

TEST(Settings, CheckProxiesAndCertificates) {
  EXPECT_EQ(errors_with("http-proxy", "http://user:hunter2@proxy:3128"), "");
  for (const char* name : {"http-proxy", "https-proxy"}) {
    EXPECT_THAT(errors_with(name, "not a url"), HasSubstr("must be the URL of a proxy")) << name;
    EXPECT_THAT(errors_with(name, "http://proxy/a b"), HasSubstr("must be the URL of a proxy")) << name;
  }
  for (const char* name : {"proxy-trusted-ca", "custom-ca-certs"}) {
    EXPECT_THAT(errors_with(name, "!"), HasSubstr(std::string(name) + ": ")) << name;
    json settings = TestNode().settings;
    settings[name] = "Q0EK";
    EXPECT_THAT(findings_of(settings, Severity::kWarning),
                HasSubstr(std::string(name) + ": contains no PEM certificate"))
        << name;
  }
}

TEST(Settings, WantALocationByItsName) {
  EXPECT_THAT(errors_with("location", "East US"), HasSubstr("location: is 'East US', must be the name of a location"));
  EXPECT_THAT(errors_with("location", "east-us"), HasSubstr("location"));
  EXPECT_EQ(errors_with("location", "eastus2euap"), "");
}

TEST(Settings, WantNumbersThatAreNumbers) {
  for (const char* bad : {"inf", "nan", "-0.1", "x"})
    EXPECT_THAT(errors_with("vm-memory-overhead-percent", bad), HasSubstr("vm-memory-overhead-percent")) << bad;
  for (const char* bad : {"x", "1.5", "99999999999"})
    EXPECT_THAT(errors_with("provider-batch-max-size", bad), HasSubstr("must be a whole number")) << bad;
}

TEST(Settings, WantAnEnvironmentFileByItsAbsolutePath) {
  EXPECT_THAT(errors_with("azure-environment-filepath", "rel/x.json"), HasSubstr("must be an absolute path"));
}

}  // namespace
}  // namespace sunup::fleet

#include "fleet/launch/explain.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fleet/launch/test_launch.h"

namespace sunup::fleet {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(Explain, ShowsWhoWonAndWhatItBeat) {
  CheckedNode test;
  test.node_class["spec"]["maxPods"] = 60;
  const auto rows = explain(test.resolve());
  const auto it =
      std::find_if(rows.begin(), rows.end(), [](const Explanation& row) { return row.name == "--max-pods"; });
  ASSERT_NE(it, rows.end());
  EXPECT_EQ(it->value, "60");
  EXPECT_EQ(it->source, "nodeclass");
  EXPECT_EQ(it->where, "spec.maxPods");
  ASSERT_EQ(it->beat.size(), 2u);
  EXPECT_EQ(it->beat[0].value, "110");
  EXPECT_EQ(it->beat[1].value, "250");
  EXPECT_EQ(it->beat[1].source, "computed");
}

TEST(Explain, NeverShowsTheToken) {
  const auto rows = explain(CheckedNode().resolve());
  EXPECT_THAT(explain_text(rows, 0), Not(HasSubstr("0123456789abcdef")));
  EXPECT_THAT(explain_json(rows).dump(), Not(HasSubstr("0123456789abcdef")));
}

const Explanation* row_of(const std::vector<Explanation>& rows, const std::string& name) {
  const auto it = std::find_if(rows.begin(), rows.end(), [&](const Explanation& row) { return row.name == name; });
  return it == rows.end() ? nullptr : &*it;
}

TEST(Explain, NeverShowsTheProxysPassword) {
  CheckedNode test;
  test.settings["http-proxy"] = "http://user:hunter2@proxy:3128";
  test.settings["https-proxy"] = "https://user:hunter2@proxy:3128";
  const auto rows = explain(test.resolve());
  EXPECT_THAT(explain_text(rows, 0), Not(HasSubstr("hunter2")));
  EXPECT_THAT(explain_json(rows).dump(), Not(HasSubstr("hunter2")));
}

TEST(Explain, HidesTheVariablesThatTheContractMarksAsSecret) {
  CheckedNode test;
  test.settings["proxy-trusted-ca"] = "Q0EK";
  const auto rows = explain(test.resolve());
  EXPECT_EQ(row_of(rows, "SERVICE_PRINCIPAL_FILE_CONTENT")->value, "<secret>");
  EXPECT_THAT(row_of(rows, "HTTP_PROXY_TRUSTED_CA")->value, Not(testing::AnyOf("", "<secret>")));
}

TEST(Explain, HasARowForEverythingThatWasDecided) {
  CheckedNode test;
  test.settings["node-identities"] = "id-1";
  test.node_class["spec"]["security"] = {{"encryptionAtHost", true}};
  const auto rows = explain(test.resolve());
  for (const char* name : {"vmSize", "capacityType", "location", "zone", "osDiskSizeGB", "osDisk.type",
                           "osDisk.diskEncryptionSetID", "security.encryptionAtHost", "security.vtpm",
                           "security.secureBoot", "identities", "bootstrap", "image", "MCR_REPOSITORY_BASE",
                           "ENABLE_IMDS_RESTRICTION", "INSERT_IMDS_RESTRICTION_RULE_TO_MANGLE_TABLE", "CSE_TIMEOUT"})
    EXPECT_NE(row_of(rows, name), nullptr) << name;
  EXPECT_EQ(row_of(rows, "security.encryptionAtHost")->source, "nodeclass");
  EXPECT_EQ(row_of(rows, "security.vtpm")->source, "hardcoded");
  EXPECT_EQ(row_of(rows, "identities")->value, "id-1");
  EXPECT_EQ(row_of(rows, "location")->source, "settings");
  EXPECT_EQ(row_of(rows, "bootstrap")->value, "scriptless");
  EXPECT_EQ(row_of(rows, "CSE_TIMEOUT")->value, "15m");
}

TEST(Explain, SaysWhoseWordASizeACapacityTypeAndAZoneAre) {
  CheckedNode test;
  test.pool["spec"]["template"]["spec"]["requirements"] = nlohmann::json::parse(R"([
    {"key": "node.kubernetes.io/instance-type", "operator": "In", "values": ["Standard_D2s_v5"]},
    {"key": "karpenter.sh/capacity-type", "operator": "In", "values": ["spot"]},
    {"key": "topology.kubernetes.io/zone", "operator": "In", "values": ["eastus-2", "eastus-3"]}])");
  const auto rows = explain(test.resolve());
  for (const char* name : {"vmSize", "capacityType", "zone"}) EXPECT_EQ(row_of(rows, name)->source, "nodepool") << name;
  EXPECT_EQ(row_of(rows, "zone")->value, "eastus-2");
}

// Two different texts that the rules of an option accept.
std::pair<std::string, std::string> two_values(const OptionRow& row) {
  const auto subnet = [](const char* name) {
    return std::string("/subscriptions/12345678-1234-1234-1234-123456789012/resourceGroups/MC_rg_cl_eastus/providers/")
        .append("Microsoft.Network/virtualNetworks/aks-vnet-46593302/subnets/")
        .append(name);
  };
  const auto encryption_set = [](const char* name) {
    return std::string("/subscriptions/s/resourceGroups/g/providers/Microsoft.Compute/diskEncryptionSets/")
        .append(name);
  };
  switch (row.option) {
    case Option::kClusterEndpoint:
      return {"https://beaten.example.com", "https://cl-rg-123456-abcdef01.hcp.eastus.azmk8s.io:443"};
    case Option::kKubeletBootstrapToken:
      return {"beaten.0123456789abcdef", "abcdef.0123456789abcdef"};
    case Option::kNetworkPlugin:
      return {"none", "azure"};
    case Option::kNetworkPluginMode:
      return {"", "overlay"};
    case Option::kNetworkDataplane:
      return {"azure", "cilium"};
    case Option::kDnsServiceIp:
      return {"10.0.0.11", "10.0.0.10"};
    case Option::kVnetGuid:
    case Option::kKubeletIdentityClientId:
      return {"11111111-753f-4802-a901-47361c3664f2", "61f71907-753f-4802-a901-47361c3664f2"};
    case Option::kVnetSubnetId:
      return {subnet("beaten"), subnet("aks-subnet")};
    case Option::kDiskEncryptionSetId:
      return {encryption_set("beaten"), encryption_set("set")};
    case Option::kProvisionMode:
      return {"bootstrappingclient", "aksscriptless"};
    case Option::kCloud:
      return {"AzureChinaCloud", "AzurePublicCloud"};
    case Option::kSubscriptionId:
      return {"11111111-1234-1234-1234-123456789012", "12345678-1234-1234-1234-123456789012"};
    case Option::kAdditionalTags:
      return {"team=beaten", "team=a"};
    default:
      break;
  }
  if (row.type == "bool") return {"true", "false"};
  if (row.type == "int") return {"7", "50"};
  if (row.type == "float") return {"0.5", "0.075"};
  if (row.type == "duration") return {"2s", "5s"};
  return {"beaten", "kept"};
}

TEST(Explain, ShowsOfEveryOptionWhatTheFileBeatInTheEnvironment) {
  for (const OptionRow& option : option_rows()) {
    if (option.env.empty() || option.option == Option::kAzureEnvironmentFilepath) continue;
    SCOPED_TRACE(option.flag);
    const auto [beaten, kept] = two_values(option);
    CheckedNode test;
    test.environment[std::string(option.env.substr(0, option.env.find('|')))] = beaten;
    test.settings[std::string(option.flag)] = kept;
    const auto rows = explain(test.resolve());
    const auto row = std::find_if(rows.begin(), rows.end(), [&](const Explanation& one) {
      return one.group == "setting" && one.name == option.flag;
    });
    ASSERT_NE(row, rows.end());
    EXPECT_EQ(row->source, "settings");
    if (beaten.empty()) continue;  // an empty value is not shown
    const auto environments = std::count_if(row->beat.begin(), row->beat.end(), [&](const Explanation::Rival& rival) {
      return rival.source == "environment" && rival.value == (option.secret ? "<secret>" : beaten);
    });
    EXPECT_EQ(environments, 1);
  }
}

TEST(Explain, ShowsOfWhatIsMadeOfASettingWhatThatSettingBeat) {
  const std::tuple<const char*, const char*, const char*, const char*> cases[] = {
      {"CLUSTER_NAME", "beaten", "karpenter.azure.com_cluster", "beaten"},
      {"CLUSTER_ENDPOINT", "https://beaten.example.com:443", "API_SERVER_NAME", "beaten.example.com"},
      {"NETWORK_DATAPLANE", "azure", "kubernetes.azure.com/ebpf-dataplane", "azure"},
      {"VNET_GUID", "11111111-753f-4802-a901-47361c3664f2", "kubernetes.azure.com/nodenetwork-vnetguid",
       "11111111-753f-4802-a901-47361c3664f2"},
      {"NODE_IDENTITIES", "beaten", "identities", "beaten"},
      {"ADDITIONAL_TAGS", "team=beaten,other=x", "team", "beaten"},
      {"SSH_PUBLIC_KEY", "ssh-rsa BBBB beaten", "sshPublicKey", "ssh-rsa BBBB beaten"},
      {"AZURE_NODE_RESOURCE_GROUP", "beaten(1)", "kubernetes.azure.com/cluster", "beaten-1-z"},
      {"LOCATION", "westus", "topology.kubernetes.io/region", "westus"},
      {"PROVISION_MODE", "bootstrappingclient", "bootstrap", "nodeconfig"},
  };
  for (const auto& [variable, value, name, beaten] : cases) {
    SCOPED_TRACE(variable);
    CheckedNode test;
    test.settings["network-dataplane"] = "cilium";
    test.settings["node-identities"] = "id-1";
    test.settings["additional-tags"] = "team=a";
    test.settings["provision-mode"] = "aksscriptless";
    test.environment[variable] = value;
    const auto rows = explain(test.resolve());
    const Explanation* row = row_of(rows, name);
    ASSERT_NE(row, nullptr);
    EXPECT_TRUE(std::any_of(row->beat.begin(), row->beat.end(), [&](const Explanation::Rival& rival) {
      return rival.source == "environment" && rival.value == beaten;
    }));
  }
}

TEST(Explain, DoesNotBlameTheUserForWhatNobodyWrote) {
  CheckedNode test;
  test.node_class["spec"]["kubelet"] = {{"cpuManagerPolicy", "static"}};
  const auto rows = explain(test.resolve());
  EXPECT_EQ(row_of(rows, "--cpu-manager-policy")->source, "nodeclass");
  EXPECT_EQ(row_of(rows, "--container-log-max-files")->source, "hardcoded");
  EXPECT_EQ(row_of(rows, "karpenter.azure.com_cluster")->source, "settings");
  EXPECT_EQ(row_of(rows, "karpenter.azure.com_cluster")->where, "cluster-name");
}

}  // namespace
}  // namespace sunup::fleet

#include "fleet/launch/node_bootstrapping.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "azure/test_custom_data.h"
#include "base/base64.h"
#include "base/node_paths.h"
#include "contract/check.h"
#include "contract/load.h"
#include "fleet/launch/provision_schema.h"
#include "fleet/launch/test_launch.h"

namespace sunup::fleet {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr char kToken[] = "abcdef.0123456789abcdef";

Settings settings() {
  Findings findings;
  json given = TestNode().settings;
  given["kubelet-bootstrap-token"] = "secret.0123456789secret";  // no response may contain it
  return read_settings({{given, {}, ""}}, {}, findings);
}

// A request as the client sends it: numbers for kinds, all values decided.
json request() {
  return json::parse(R"({
    "provisionProfile": {
      "name": "", "vmSize": "Standard_D4s_v5", "osType": 2, "osSku": 1, "storageProfile": "ManagedDisks",
      "distro": "aks-ubuntu-containerd-22.04-gen2", "architecture": "x64", "mode": 2, "maxPods": 250,
      "orchestratorVersion": "1.33.1", "vnetCidrs": [],
      "vnetSubnetID": "/subscriptions/s/resourceGroups/rg/providers/Microsoft.Network/virtualNetworks/v/subnets/nodes",
      "customNodeLabels": {"team": "a", "kubernetes.azure.com/mode": "user", "kubernetes.io/not-kubelets": "x"},
      "nodeTaints": ["dedicated=gpu:NoSchedule"], "nodeInitializationTaints": ["karpenter.sh/unregistered:NoExecute"],
      "securityProfile": {"sshAccess": 0}, "enableFIPS": false, "artifactStreamingProfile": {"enabled": false},
      "customKubeletConfig": {"cpuManagerPolicy": "static", "cpuCfsQuota": true, "podMaxPids": 100,
                              "containerLogMaxSizeMB": 20}},
    "provisionHelperValues": {"skuCPU": 4, "skuMemory": 16}})");
}

Result<NodeBootstrapping> ask(const json& values) {
  return node_bootstrapping(values, settings(), recorded_image_versions());
}

std::string why(const json& change) {
  json values = request();
  values.merge_patch(change);
  const auto made = ask(values);
  return made ? "" : made.error().what;
}

// Like the client: decodes, replaces, encodes.
std::string hydrated(const std::string& custom_data) {
  std::string text = *base64_decode(custom_data);
  for (size_t at = text.find(kTokenPlaceholder); at != text.npos; at = text.find(kTokenPlaceholder))
    text.replace(at, kTokenPlaceholder.size(), kToken);
  return base64_encode(text);
}

contract::Configuration config_in(const NodeBootstrapping& made) {
  auto loaded = contract::load_text(azure::content_at(paths::kNodeConfig, hydrated(made.custom_data)), "config");
  EXPECT_TRUE(loaded) << loaded.error().what;
  return loaded->config;
}

size_t count(std::string_view text, std::string_view part) {
  size_t found = 0;
  for (size_t at = text.find(part); at != text.npos; at = text.find(part, at + 1)) ++found;
  return found;
}

TEST(NodeBootstrapping, TellsTheNodeWhereToSendItsResult) {
  const render::ResultService results{.url = "https://sunup.example:8443", .ca = ""};
  const auto made = node_bootstrapping(request(), settings(), recorded_image_versions(), results);
  ASSERT_TRUE(made) << made.error().what;
  EXPECT_EQ(azure::content_at(paths::kResultService, hydrated(made->custom_data)), render::to_json(results));
  EXPECT_EQ(config_in(*made).bootstrapping_config().tls_bootstrapping_token(), kToken);
  EXPECT_EQ(azure::content_at(paths::kResultService, hydrated(ask(request())->custom_data)), "");
}

TEST(NodeBootstrapping, IsTheConfigOfTheNodeThatWasAskedFor) {
  const auto made = ask(request());
  ASSERT_TRUE(made) << made.error().what;
  const contract::Configuration config = config_in(*made);
  EXPECT_EQ(config.kubernetes_version(), "1.33.1");
  EXPECT_EQ(config.vm_size(), "Standard_D4s_v5");
  EXPECT_EQ(config.cluster_config().cluster_network_config().subnet(), "nodes");
  const auto& kubelet = config.kubelet_config();
  EXPECT_EQ(kubelet.kubelet_flags().at("--max-pods"), "250");
  EXPECT_EQ(kubelet.kubelet_flags().at("--cpu-manager-policy"), "static");
  EXPECT_EQ(kubelet.kubelet_flags().at("--pod-max-pids"), "100");
  EXPECT_EQ(kubelet.kubelet_flags().at("--container-log-max-size"), "20Mi");
  EXPECT_EQ(kubelet.kubelet_flags().at("--kube-reserved"), "cpu=140m,memory=2662Mi");
  EXPECT_EQ(kubelet.kubelet_flags().at("--register-with-taints"),
            "dedicated=gpu:NoSchedule,karpenter.sh/unregistered:NoExecute");
  const std::map<std::string, std::string> labels(kubelet.kubelet_node_labels().begin(),
                                                  kubelet.kubelet_node_labels().end());
  EXPECT_EQ(labels, (std::map<std::string, std::string>{{"team", "a"}, {"kubernetes.azure.com/mode", "user"}}));
  for (const contract::Finding& finding : contract::check(config))
    EXPECT_NE(finding.severity, Severity::kError) << finding.path << " " << finding.message;
  EXPECT_EQ(made->cse, "/opt/azure/containers/aks-node-controller provision-wait");
  EXPECT_EQ(made->definition, "2204gen2containerd");
}

// The client finds the placeholder after one base64 decode, and the token is in the config and nowhere else.
TEST(NodeBootstrapping, HasTheTokenOnlyInTheConfig) {
  for (const char* distro : {"aks-ubuntu-containerd-22.04-gen2", "aks-acl-gen2-tl"}) {
    json values = request();
    values["provisionProfile"]["distro"] = distro;
    const auto made = ask(values);
    ASSERT_TRUE(made) << made.error().what;
    EXPECT_EQ(count(*base64_decode(made->custom_data), kTokenPlaceholder), 1u) << distro;
    EXPECT_EQ(count(*base64_decode(hydrated(made->custom_data)), kToken), 1u) << distro;
    EXPECT_EQ(config_in(*made).bootstrapping_config().tls_bootstrapping_token(), kToken) << distro;
    EXPECT_THAT(made->cse, Not(HasSubstr("Token")));
    EXPECT_THAT(*base64_decode(made->custom_data), Not(HasSubstr("0123456789secret")));
  }
}

TEST(NodeBootstrapping, NeedsNoTokenInTheSettings) {
  json given = TestNode().settings;
  for (const char* brought : {"kubelet-bootstrap-token", "ssh-public-key", "vnet-subnet-id", "kubernetes-version"})
    given.erase(brought);
  Findings findings;
  const Settings bare = read_cluster_settings({{given, {}, ""}}, findings);
  EXPECT_EQ(describe(findings, Severity::kError), "");
  const auto made = node_bootstrapping(request(), bare, recorded_image_versions());
  ASSERT_TRUE(made) << made.error().what;
  EXPECT_EQ(config_in(*made).bootstrapping_config().tls_bootstrapping_token(), kToken);
  given.erase("cluster-endpoint");
  read_cluster_settings({{given, {}, ""}}, findings);
  EXPECT_THAT(describe(findings, Severity::kError), HasSubstr("cluster-endpoint"));
}

TEST(NodeBootstrapping, IsTheSameForTheSameRequest) {
  EXPECT_EQ(ask(request())->custom_data, ask(request())->custom_data);
}

TEST(NodeBootstrapping, NamesTheMemberThatIsWrong) {
  EXPECT_EQ(why({{"provisionProfile", nullptr}}), "provisionProfile is missing");
  EXPECT_EQ(why({{"provisionHelperValues", {{"skuCPU", nullptr}}}}), "provisionHelperValues.skuCPU is missing");
  EXPECT_THAT(why({{"provisionHelperValues", {{"skuMemory", -1}}}}),
              HasSubstr("provisionHelperValues.skuMemory is -1"));
  const auto profile = [](const char* member, const json& value) {
    return why({{"provisionProfile", {{member, value}}}});
  };
  for (const char* required : {"name", "vmSize", "osType", "osSku", "storageProfile", "distro", "orchestratorVersion",
                               "vnetSubnetID", "mode", "architecture", "maxPods"})
    EXPECT_EQ(profile(required, nullptr), std::string("provisionProfile.") + required + " is missing");
  EXPECT_THAT(profile("osType", 1), HasSubstr("provisionProfile.osType must be 2"));
  EXPECT_THAT(profile("distro", "aks-windows-2025"), HasSubstr("provisionProfile.distro is 'aks-windows-2025'"));
  EXPECT_THAT(profile("architecture", "Arm64"), HasSubstr("is for amd64"));
  EXPECT_THAT(profile("maxPods", 1000), HasSubstr("provisionProfile.maxPods"));
  EXPECT_THAT(profile("nodeTaints", {"nonsense"}), HasSubstr("provisionProfile.nodeTaints has 'nonsense'"));
  EXPECT_THAT(profile("customNodeLabels", {{"a,b=c", "d"}}), HasSubstr("which is no valid label"));
  EXPECT_THAT(profile("vmSize", "x y"), HasSubstr("provisionProfile.vmSize"));
  EXPECT_THAT(profile("customKubeletConfig", {{"cpuManagerPolicy", "wild"}}),
              HasSubstr("provisionProfile.customKubeletConfig.cpuManagerPolicy is 'wild'"));
  EXPECT_THAT(profile("customKubeletConfig", {{"cpuReserved", 5}}), HasSubstr("cpuReserved is not supported"));
  EXPECT_THAT(profile("enableFIPS", true), HasSubstr("provisionProfile.enableFIPS"));
  EXPECT_THAT(profile("vnetSubnetID", "nonsense"), HasSubstr("is not the ID of a subnet"));
  EXPECT_THAT(profile("orchestratorVersion", "1.33"), HasSubstr("provisionProfile.orchestratorVersion"));
}

// Compares the schema of a member, and of those in it, with what the code does.
void expect_as_described(const json& schema, const json::json_pointer& place) {
  std::string name = place.to_string();
  std::ranges::replace(name, '/', '.');
  if (!name.empty()) name.erase(0, 1);
  const auto refusal = [&](const json& value) {
    json values = request();
    values[place] = value;
    const auto made = ask(values);
    return made ? "" : made.error().what;
  };
  for (const json& required : schema.value("required", json::array())) {
    json values = request();
    values[place].erase(required.get<std::string>());
    const auto made = ask(values);
    ASSERT_FALSE(made) << name << " " << required;
    EXPECT_THAT(made.error().what, HasSubstr(required.get<std::string>() + " is missing"));
  }
  const bool ignored = schema.value("description", "").starts_with("ignored");
  const json type = schema["type"];
  if (!name.empty() && name != "provisionHelperValues") {
    // A value of each other type.
    const std::pair<const char*, json> values[] = {{"string", "x"}, {"integer", 1},   {"boolean", true},
                                                   {"object", {}},  {"array", {"x"}}, {"number", 1.5}};
    for (const auto& [other, value] : values) {
      if (other == type || (type == "number" && value.is_number())) continue;
      const json given = other == std::string_view("object") ? json::object() : value;
      if (ignored)
        EXPECT_EQ(refusal(given), "") << name << " is a " << other;
      else
        EXPECT_THAT(refusal(given), HasSubstr(name)) << name << " is a " << other;
    }
  }
  for (const json& value : schema.value("enum", json::array())) {
    // Values that this image does not fit are refused with another reason.
    EXPECT_THAT(refusal(value), Not(HasSubstr("must be"))) << name;
    EXPECT_THAT(refusal(value), Not(HasSubstr("no distro"))) << name;
  }
  if (schema.contains("enum")) EXPECT_NE(refusal(type == "string" ? json("other") : json(99)), "") << name;
  const json members = schema.value("properties", json::object());
  for (const auto& [member, inner] : members.items()) expect_as_described(inner, place / member);
}

TEST(NodeBootstrapping, IsAsTheSchemaDescribesIt) {
  const json schema = json::parse(provision_values_schema());
  EXPECT_EQ(schema["properties"]["provisionProfile"]["properties"].size(), 27u);
  expect_as_described(schema, json::json_pointer());
}

TEST(NodeBootstrapping, CarriesOsSettingsLocalDnsAndTheRest) {
  json values = request();
  json& profile = values["provisionProfile"];
  profile["customLinuxOSConfig"] = json::parse(R"({
    "swapFileSizeMB": 1500, "transparentHugePageEnabled": "madvise",
    "sysctls": {"netIpv4IpLocalPortRange": "32768 65400", "netIpv4TcpTwReuse": true, "netIpv4TcpkeepaliveIntvl": 30,
                "netIpv4TcpKeepaliveTime": 120, "netCoreSomaxconn": 8192, "vmMaxMapCount": 65530}})");
  profile["customKubeletConfig"]["failSwapOn"] = false;
  profile["localDNSProfile"] = json::parse(R"({
    "mode": "Required", "vnetDNSOverrides": {".": {"forwardDestination": "VnetDNS", "cacheDurationInSeconds": 60}, "cluster.local": {}},
    "kubeDNSOverrides": {".": {}, "cluster.local": {}}})");
  profile["artifactStreamingProfile"]["enabled"] = true;
  profile["securityProfile"]["sshAccess"] = 1;
  profile["kubeletDiskType"] = 2;
  const auto made = ask(values);
  ASSERT_TRUE(made) << made.error().what;
  const contract::Configuration config = config_in(*made);
  const auto& os = config.custom_linux_os_config();
  EXPECT_EQ(os.swap_file_size(), 1500);
  EXPECT_EQ(os.sysctl_config().net_ipv4_ip_local_port_range(), "32768 65400");
  EXPECT_TRUE(os.sysctl_config().net_ipv4_tcp_tw_reuse());
  EXPECT_EQ(os.sysctl_config().net_ipv4_tcpkeepalive_intvl(), 30);
  EXPECT_EQ(os.sysctl_config().net_ipv4_tcp_keepalive_time(), 120);
  EXPECT_EQ(os.sysctl_config().net_core_somaxconn(), 8192);
  EXPECT_EQ(config.local_dns_profile().vnet_dns_overrides().at(".").cache_duration_in_seconds(), 60);
  EXPECT_EQ(config.local_dns_profile().kube_dns_overrides().at(".").max_concurrent(), 1000);
  EXPECT_TRUE(config.enable_artifact_streaming());
  EXPECT_FALSE(config.enable_ssh());
  EXPECT_EQ(config.kubelet_config().kubelet_disk_type(), aksnodeconfig::v1::KUBELET_DISK_TEMP_DISK);
  EXPECT_THAT(why({{"provisionProfile", {{"customLinuxOSConfig", {{"sysctls", {{"vmNonsense", 1}}}}}}}}),
              HasSubstr("provisionProfile.customLinuxOSConfig.sysctls.vmNonsense"));
}

TEST(NodeBootstrapping, InstallsADriverIfItIsAskedFor) {
  json values = request();
  values["provisionProfile"]["vmSize"] = "Standard_NC24ads_A100_v4";
  EXPECT_FALSE(config_in(*ask(values)).gpu_config().config_gpu_driver());
  values["provisionProfile"]["gpuProfile"] = {{"driverType", 3}, {"installGPUDriver", true}};
  EXPECT_TRUE(config_in(*ask(values)).gpu_config().config_gpu_driver());
}

TEST(NodeBootstrapping, AnswersWithTheMembersOfTheApi) {
  const json answer = json::parse(node_bootstrapping_json(*ask(request())));
  EXPECT_TRUE(answer["osImageConfig"].is_object());
  EXPECT_EQ(answer["sigImageConfig"]["sigImageConfigTemplate"], (json{{"resourceGroup", "AKS-Ubuntu"},
                                                                      {"gallery", "AKSUbuntu"},
                                                                      {"definition", "2204gen2containerd"},
                                                                      {"version", "202608.14.0"}}));
}

// Every distro of every family has custom data that the node can read.
TEST(NodeBootstrapping, KnowsEveryDistro) {
  for (const ImageFamily* family : image_families())
    for (const ImageDefinition& definition : family->images) {
      json values = request();
      values["provisionProfile"]["distro"] = definition.distro;
      values["provisionProfile"]["architecture"] = definition.arch == "arm64" ? "Arm64" : "x64";
      values["provisionProfile"]["enableFIPS"] = definition.fips;
      const auto made = ask(values);
      ASSERT_TRUE(made) << definition.distro << ": " << made.error().what;
      EXPECT_EQ(config_in(*made).bootstrapping_config().tls_bootstrapping_token(), kToken) << definition.distro;
    }
}

}  // namespace
}  // namespace sunup::fleet

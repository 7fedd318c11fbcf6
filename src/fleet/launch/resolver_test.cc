#include "fleet/resolve/resolver.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <openssl/sha.h>

#include <fstream>

#include "base/base64.h"
#include "fleet/launch/bootstrap_script.h"
#include "fleet/launch/test_launch.h"

namespace sunup::fleet {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

std::string sha256(const std::string& text) {
  unsigned char digest[SHA256_DIGEST_LENGTH];
  SHA256(reinterpret_cast<const unsigned char*>(text.data()), text.size(), digest);
  std::string hex;
  for (const unsigned char byte : digest) hex += fmt::format("{:02x}", byte);
  return hex;
}

// The recorded results of the original for four nodes, compared with the complete path from settings to variables.
TEST(Resolver, GivesTheVariablesTheOriginalGives) {
  std::ifstream file(SUNUP_SOURCE_DIR "/src/fleet/launch/testdata/bootstrap_variables.json");
  for (const json& node : json::parse(file)) {
    const json& in = node["input"];
    SCOPED_TRACE(in["name"].get<std::string>());
    CheckedNode test;
    test.settings["tenant-id"] = in["Tenant"];
    test.settings["subscription-id"] = in["Sub"];
    test.settings["location"] = in["Loc"];
    test.settings["node-resource-group"] = in["RG"];
    test.settings["kubelet-identity-client-id"] = in["KID"];
    test.settings["network-security-group"] = in["NSG"];
    test.settings["cluster-endpoint"] = "https://" + in["API"].get<std::string>() + ":443";
    test.settings["kubelet-bootstrap-token"] = in["Token"];
    test.settings["network-policy"] = in["NetPolicy"];
    test.settings["vnet-subnet-id"] = in["SubnetID"];
    test.settings["ca-bundle"] = in["CABundleB64"];
    test.settings["kubernetes-version"] = in["kubernetes_version"];
    test.size = in.contains("GPU")      ? "Standard_NC4as_T4_v3"
                : in["arch"] == "arm64" ? "Standard_D2ps_v5"
                                        : "Standard_D2s_v5";
    const Resolution resolved = test.resolve();
    std::map<std::string, std::string> variables;
    for (const Assignment& line : assignments(BootstrapVariables(resolved))) variables[line.name] = line.value;
    for (const auto& [name, value] : node["expected"].items()) {
      if (name == "KUBELET_NODE_LABELS" || (name == "KUBELET_FLAGS" && in.contains("GPU"))) continue;
      EXPECT_EQ(variables[name], value.get<std::string>()) << name;
    }
    EXPECT_EQ(sha256(*base64_decode(variables["CONTAINERD_CONFIG_CONTENT"])),
              node["containerd_config_sha256"].get<std::string>());
    EXPECT_THAT(variables["KUBELET_NODE_LABELS"], HasSubstr("karpenter.sh/nodepool=default"));
  }
}

TEST(Resolver, NeedsAKubernetesVersionFromSomewhere) {
  CheckedNode test;
  test.settings.erase("kubernetes-version");
  EXPECT_THAT(test.try_resolve().error().what, HasSubstr("the Kubernetes version is not known"));
  test.detected.kubernetes_version = "1.32.0";
  EXPECT_EQ(*test.resolve().kind->kubernetes_version, "1.32.0");
}

TEST(Resolver, WarnsOfANodeThatCannotCheckItsApiServer) {
  CheckedNode test;
  EXPECT_THAT(test.resolve().warnings, IsEmpty());
  test.settings.erase("ca-bundle");
  EXPECT_THAT(test.resolve().warnings, Contains(Field(&Finding::path, "ca-bundle")));
  test.detected.ca_bundle = "Q0EK";
  EXPECT_THAT(test.resolve().warnings, IsEmpty());
}

TEST(Resolver, LetsSettingsOverrideWhatWasDetected) {
  CheckedNode test;
  test.detected.kubernetes_version = "1.32.0";
  const Resolution resolved = test.resolve();
  EXPECT_EQ(*resolved.kind->kubernetes_version, "1.33.1");
  EXPECT_EQ(resolved.kind->kubernetes_version.origin().source, Source::kSettings);
  ASSERT_EQ(resolved.kind->kubernetes_version.beaten().size(), 1u);
  EXPECT_EQ(resolved.kind->kubernetes_version.beaten()[0].value, "1.32.0");
}

TEST(Resolver, TakesTheMaximumOfPodsFromTheHighestSourceThatSaysOne) {
  const auto max_pods = [](CheckedNode& test) { return *test.resolve().kubelet_flags.find("--max-pods"); };
  CheckedNode test;
  EXPECT_EQ(max_pods(test), "250");
  test.settings["network-plugin-mode"] = "";
  EXPECT_EQ(max_pods(test), "30");
  test.settings["network-plugin"] = "none";
  EXPECT_EQ(max_pods(test), "250");
  test.node_class["spec"]["maxPods"] = 60;
  EXPECT_EQ(max_pods(test), "60");
}

TEST(Resolver, TellsTheNodeAPluginItCanDealWith) {
  const auto plugin = [](const char* name, const char* mode, const char* dataplane) {
    CheckedNode test;
    test.settings["network-plugin"] = name;
    test.settings["network-plugin-mode"] = mode;
    test.settings["network-dataplane"] = dataplane;
    return BootstrapVariables(test.resolve()).text("NetworkPlugin");
  };
  EXPECT_EQ(plugin("azure", "overlay", "cilium"), "none");
  EXPECT_EQ(plugin("azure", "", "cilium"), "none");
  EXPECT_EQ(plugin("none", "", ""), "none");
  EXPECT_EQ(plugin("azure", "", "azure"), "azure");
}

TEST(Resolver, ComputesTheBridgeGuardForKubenetOfTheOldConfigMap) {
  CheckedNode test;
  test.settings.erase("network-policy");
  test.settings["azure.networkPlugin"] = "kubenet";
  EXPECT_EQ(BootstrapVariables(test.resolve()).text("EnsureNoDupePromiscuousBridge"), "true");
  EXPECT_THAT(*base64_decode(BootstrapVariables(test.resolve()).text("ContainerdConfigContent")),
              HasSubstr("kubenet_template.conf"));
  test.settings["network-policy"] = "calico";
  EXPECT_EQ(BootstrapVariables(test.resolve()).text("EnsureNoDupePromiscuousBridge"), "false");
}

TEST(Resolver, AddsAndDropsFlagsWithTheKubernetesVersion) {
  const auto flags = [](const char* version) {
    CheckedNode test;
    test.settings["kubernetes-version"] = version;
    return test.resolve().kubelet_flags;
  };
  EXPECT_TRUE(flags("1.30.0").find("--keep-terminated-pod-volumes"));
  EXPECT_FALSE(flags("1.31.0").find("--keep-terminated-pod-volumes"));
  EXPECT_TRUE(flags("1.33.0").find("--cloud-config"));
  EXPECT_FALSE(flags("1.34.0").find("--cloud-config"));
  EXPECT_TRUE(flags("1.34.0").find("--pod-infra-container-image"));
  EXPECT_FALSE(flags("1.35.0").find("--pod-infra-container-image"));
  EXPECT_TRUE(flags("1.29.0").find("--azure-container-registry-config"));
  EXPECT_FALSE(flags("1.30.0").find("--azure-container-registry-config"));
  EXPECT_TRUE(flags("1.23.0").find("--feature-gates"));
  EXPECT_FALSE(flags("1.22.0").find("--feature-gates"));
}

TEST(Resolver, OffersNoDownloadOfWhatIsNotPublished) {
  CheckedNode test;
  test.settings["kubernetes-version"] = "1.34.0";
  EXPECT_EQ(BootstrapVariables(test.resolve()).text("KubeBinaryURL"), "");
}

TEST(Resolver, RegistersWithTaintsInOrderAndTheMarkLast) {
  CheckedNode test;
  test.pool["spec"]["template"]["spec"]["taints"] = {{{"key", "team"}, {"value", "web"}, {"effect", "NoSchedule"}}};
  test.pool["spec"]["template"]["spec"]["startupTaints"] = {{{"key", "cni"}, {"effect", "NoExecute"}}};
  EXPECT_EQ(*test.resolve().kubelet_flags.find("--register-with-taints"),
            "team=web:NoSchedule,cni:NoExecute,karpenter.sh/unregistered:NoExecute");
}

TEST(Resolver, MapsEveryKubeletSettingOfTheClassToItsFlag) {
  CheckedNode test;
  test.node_class["spec"]["kubelet"] = json::parse(R"({"cpuManagerPolicy": "static", "cpuCFSQuota": false,
    "imageGCHighThresholdPercent": 90, "imageGCLowThresholdPercent": 60, "topologyManagerPolicy": "restricted",
    "allowedUnsafeSysctls": ["kernel.msg*", "net.*"], "containerLogMaxSize": "20Mi", "containerLogMaxFiles": 4,
    "podPidsLimit": 1000})");
  const ValueMap flags = test.resolve().kubelet_flags;
  EXPECT_EQ(*flags.find("--cpu-manager-policy"), "static");
  EXPECT_EQ(*flags.find("--cpu-cfs-quota"), "false");
  EXPECT_EQ(*flags.find("--image-gc-high-threshold"), "90");
  EXPECT_EQ(*flags.find("--image-gc-low-threshold"), "60");
  EXPECT_EQ(*flags.find("--topology-manager-policy"), "restricted");
  EXPECT_EQ(*flags.find("--allowed-unsafe-sysctls"), "kernel.msg*,net.*");
  EXPECT_EQ(*flags.find("--container-log-max-size"), "20Mi");
  EXPECT_EQ(*flags.find("--container-log-max-files"), "4");
  EXPECT_EQ(*flags.find("--pod-max-pids"), "1000");
}

TEST(Resolver, HonoursKubeletSettingsOfOlderPools) {
  CheckedNode test;
  test.pool["apiVersion"] = "karpenter.sh/v1beta1";
  test.pool["spec"]["template"]["spec"]["kubelet"] = json::parse(R"({"maxPods": 42, "kubeReserved": {"cpu": "1"},
    "evictionHard": {"memory.available": "5%", "nodefs.available": "10%"}, "clusterDNS": ["10.1.0.10"]})");
  const Resolution resolved = test.resolve();
  EXPECT_EQ(*resolved.kubelet_flags.find("--max-pods"), "42");
  EXPECT_EQ(*resolved.kubelet_flags.find("--kube-reserved"), "cpu=1,memory=1843Mi");
  EXPECT_EQ(*resolved.kubelet_flags.find("--eviction-hard"), "memory.available<5%,nodefs.available<10%");
  EXPECT_EQ(*resolved.kubelet_flags.find("--cluster-dns"), "10.1.0.10");
}

TEST(Resolver, LabelsTheNodeByFamilyNetworkAndSize) {
  CheckedNode test;
  test.pool["spec"]["template"]["metadata"]["labels"] = {{"team", "web"}, {"kubernetes.azure.com/mode", "system"}};
  const ValueMap labels = test.resolve().labels;
  const auto label = [&](const char* key) { return labels.find(key) ? *labels.find(key) : "(none)"; };
  EXPECT_EQ(label("kubernetes.azure.com/role"), "agent");
  EXPECT_EQ(label("kubernetes.azure.com/cluster"), "MC_rg_cl_eastus");
  EXPECT_EQ(label("kubernetes.azure.com/mode"), "system");
  EXPECT_EQ(label("kubernetes.azure.com/os-sku"), "Ubuntu");
  EXPECT_EQ(label("kubernetes.azure.com/os-sku-requested"), "Ubuntu");
  EXPECT_EQ(label("kubernetes.azure.com/os-sku-effective"), "Ubuntu2204");
  EXPECT_EQ(label("kubernetes.azure.com/network-subnet"), "aks-subnet");
  EXPECT_EQ(label("kubernetes.azure.com/nodenetwork-vnetguid"), "61f71907-753f-4802-a901-47361c3664f2");
  EXPECT_EQ(label("kubernetes.azure.com/podnetwork-type"), "overlay");
  EXPECT_EQ(label("kubernetes.azure.com/network-stateless-cni"), "false");
  EXPECT_EQ(label("kubernetes.azure.com/ebpf-dataplane"), "cilium");
  EXPECT_EQ(label("kubernetes.azure.com/localdns-state"), "disabled");
  EXPECT_EQ(label("kubernetes.azure.com/scalesetpriority"), "regular");
  EXPECT_EQ(label("karpenter.sh/do-not-sync-taints"), "true");
  EXPECT_EQ(label("karpenter.azure.com/sku-cpu"), "2");
  EXPECT_EQ(label("karpenter.azure.com/sku-memory"), "8192");
  EXPECT_EQ(label("karpenter.azure.com/sku-version"), "5");
  EXPECT_EQ(label("node.kubernetes.io/instance-type"), "Standard_D2s_v5");
  EXPECT_EQ(label("team"), "web");
}

TEST(Resolver, SaysThatASpotNodeIsOne) {
  CheckedNode test;
  test.pool["spec"]["template"]["spec"]["requirements"] = {
      {{"key", "karpenter.sh/capacity-type"}, {"operator", "In"}, {"values", {"spot"}}}};
  EXPECT_EQ(*test.resolve().labels.find("kubernetes.azure.com/scalesetpriority"), "spot");
  EXPECT_EQ(test.resolve().capacity_type.value, "spot");
}

TEST(Resolver, WarnsOfALabelThatAKubeletMayNotSet) {
  CheckedNode test;
  test.pool["spec"]["template"]["metadata"]["labels"] = {{"node-restriction.kubernetes.io/x", "y"}};
  const Resolution resolved = test.resolve();
  EXPECT_EQ(resolved.labels.find("node-restriction.kubernetes.io/x"), nullptr);
  EXPECT_THAT(resolved.warnings, Contains(Field(&Finding::path, "label node-restriction.kubernetes.io/x")));
}

TEST(Resolver, WarnsOfEverySettingThatThisKindOfNodeIsNeverTold) {
  CheckedNode test;
  test.node_class["spec"]["linuxOSConfig"] = {{"sysctls", {{"vmSwappiness", 10}}}};
  test.node_class["spec"]["artifactStreaming"] = {{"enabled", true}};
  test.node_class["spec"]["kubelet"] = {{"failSwapOn", true}, {"cpuCFSQuotaPeriod", "50ms"}};
  const auto warned = [&](const Resolution& resolved, const char* path) {
    return std::any_of(resolved.warnings.begin(), resolved.warnings.end(),
                       [&](const Finding& finding) { return finding.path == path; });
  };
  const char* const kPaths[] = {"spec.linuxOSConfig", "spec.artifactStreaming", "spec.kubelet.failSwapOn",
                                "spec.kubelet.cpuCFSQuotaPeriod"};
  const Resolution scriptless = test.resolve();
  for (const char* path : kPaths) EXPECT_TRUE(warned(scriptless, path)) << path;
  test.bootstrap = Bootstrap::kNodeConfig;
  const Resolution node_config = test.resolve();
  for (const char* path : kPaths) EXPECT_FALSE(warned(node_config, path)) << path;
  EXPECT_EQ(*node_config.kubelet_flags.find("--fail-swap-on"), "true");
}

TEST(Resolver, InstallsNoDriverWhenTheClassSaysSo) {
  CheckedNode test;
  test.size = "Standard_NC4as_T4_v3";
  EXPECT_EQ(BootstrapVariables(test.resolve()).text("GPUDriverType"), "cuda-lts");
  test.node_class["spec"]["gpu"] = {{"mode", "None"}};
  EXPECT_EQ(BootstrapVariables(test.resolve()).text("GPUNode"), "false");
  EXPECT_EQ(BootstrapVariables(test.resolve()).text("GPUDriverType"), "");
}

TEST(Resolver, PutsTheClassSubnetBeforeTheClusters) {
  CheckedNode test;
  const std::string vnet = "/subscriptions/s/resourceGroups/other/providers/Microsoft.Network/virtualNetworks/v2";
  test.settings["vnet-subnet-id"] = vnet + "/subnets/n1";
  test.node_class["spec"]["vnetSubnetID"] = vnet + "/subnets/n2";
  const Resolution resolved = test.resolve();
  EXPECT_EQ(BootstrapVariables(resolved).text("Subnet"), "n2");
  EXPECT_EQ(BootstrapVariables(resolved).text("VirtualNetwork"), "v2");
  EXPECT_EQ(BootstrapVariables(resolved).text("VirtualNetworkResourceGroup"), "other");
}

TEST(Resolver, UsesAnEphemeralDiskWhereItFits) {
  CheckedNode test;
  test.type = known_instance_type("Standard_D4ds_v5");
  test.type->ephemeral_os_disk = true;
  test.type->cache_disk_bytes = 107374182400;  // 107 GB
  test.node_class["spec"]["osDiskSizeGB"] = 107;
  EXPECT_TRUE(test.resolve().kind->os_disk.ephemeral);
  EXPECT_EQ(test.resolve().kind->os_disk.placement, "CacheDisk");
  test.node_class["spec"]["osDiskSizeGB"] = 108;
  EXPECT_FALSE(test.resolve().kind->os_disk.ephemeral);
}

TEST(Resolver, ReadsTheClusterIdFromTheSecurityGroupOrComputesIt) {
  CheckedNode test;
  EXPECT_EQ(BootstrapVariables(test.resolve()).text("RouteTable"), "aks-agentpool-46593302-routetable");
  test.settings.erase("network-security-group");
  test.settings["cluster-endpoint"] = "https://my-aks-cluster-my-rg-0a1b2c-3d4e5f6a.hcp.eastus.azmk8s.io";
  EXPECT_EQ(BootstrapVariables(test.resolve()).text("RouteTable"), "aks-agentpool-38893185-routetable");
  EXPECT_EQ(BootstrapVariables(test.resolve()).text("NetworkSecurityGroup"), "aks-agentpool-38893185-nsg");
  test.settings["cluster-id"] = "12345678";
  EXPECT_EQ(BootstrapVariables(test.resolve()).text("RouteTable"), "aks-agentpool-12345678-routetable");
}

TEST(Resolver, RefusesModesInWhichAksMakesTheTemplate) {
  CheckedNode test;
  test.settings["provision-mode"] = "aksmachineapi";
  test.settings["aks-machines-pool-name"] = "pool";
  EXPECT_THAT(test.try_resolve().error().what, HasSubstr("nothing to resolve"));
}

TEST(Resolver, LetsAnOlderPoolsWordStandAgainstADefaultOfTheClass) {
  CheckedNode test;
  test.pool["apiVersion"] = "karpenter.sh/v1beta1";
  test.pool["spec"]["template"]["spec"]["kubelet"] = {{"cpuCFSQuota", false}};
  test.node_class["spec"]["kubelet"] = {{"cpuManagerPolicy", "static"}};
  EXPECT_EQ(*test.resolve().kubelet_flags.find("--cpu-cfs-quota"), "false");
  test.node_class["spec"]["kubelet"]["cpuCFSQuota"] = true;
  EXPECT_EQ(*test.resolve().kubelet_flags.find("--cpu-cfs-quota"), "true");
}

TEST(Resolver, RefusesANameThatNoComputerCanHave) {
  CheckedNode test;
  test.pool["metadata"]["name"] = std::string(59, 'a');
  EXPECT_TRUE(test.try_resolve());
  test.pool["metadata"]["name"] = std::string(60, 'a');
  EXPECT_THAT(test.try_resolve().error().what, HasSubstr("metadata.name: has 60 characters"));
}

TEST(Resolver, NotesAGpuModeThatChangesNothing) {
  CheckedNode test;
  test.node_class["spec"]["gpu"] = {{"mode", "None"}};
  EXPECT_THAT(describe(test.resolve().warnings, Severity::kNote), HasSubstr("spec.gpu.mode: None has no effect"));
  test.size = "Standard_NC4as_T4_v3";
  EXPECT_EQ(describe(test.resolve().warnings, Severity::kNote), "");
}

TEST(Resolver, AsksForTheFabricManagerWhereTheSizeNeedsIt) {
  CheckedNode test;
  test.type = known_instance_type("Standard_D4s_v5");
  test.type->name = "Standard_ND96asr_v4";
  EXPECT_EQ(BootstrapVariables(test.resolve()).text("GPUNeedsFabricManager"), "true");
  test.type->name = "Standard_NC24ads_A100_v4";
  EXPECT_EQ(BootstrapVariables(test.resolve()).text("GPUNeedsFabricManager"), "false");
}

TEST(Resolver, SaysWhichNetworkPolicyAConfigCannotName) {
  CheckedNode test;
  test.bootstrap = Bootstrap::kNodeConfig;
  EXPECT_THAT(describe(test.resolve().warnings, Severity::kNote), HasSubstr("network-policy"));
  test.settings["network-policy"] = "weird";
  EXPECT_THAT(describe(test.resolve().warnings, Severity::kWarning), HasSubstr("network-policy: 'weird'"));
  test.settings["network-policy"] = "calico";
  EXPECT_THAT(test.resolve().warnings, IsEmpty());
}

TEST(Resolver, GivesAPromotionalSizeTheFabricManagerOfItsPlainOne) {
  for (const char* ending : {"", "_Promo"}) {
    CheckedNode test;
    test.type = known_instance_type("Standard_D4s_v5");
    test.type->name = std::string("Standard_ND96asr_v4") + ending;
    test.type->gpus = 8;
    EXPECT_EQ(BootstrapVariables(test.resolve()).text("GPUNeedsFabricManager"), "true") << ending;
  }
}

TEST(Resolver, WarnsWhereAZoneIsRuledOutAndNoneIsTaken) {
  CheckedNode test;
  test.pool["spec"]["template"]["spec"]["requirements"] =
      nlohmann::json::parse(R"([{"key": "topology.kubernetes.io/zone", "operator": "NotIn", "values": ["eastus-1"]}])");
  EXPECT_THAT(describe(test.resolve().warnings, Severity::kWarning), ::testing::HasSubstr("names no usable zone"));
}

}  // namespace
}  // namespace sunup::fleet

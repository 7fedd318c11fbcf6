// Every rule of an AKSNodeClass, with a value that meets it and one that violates it.
#include "fleet/sources/node_class_rules.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fleet/sources/node_class.h"

namespace sunup::fleet {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

json zone(const char* name, const char* destination) {
  return {{"zone", name},
          {"queryLogging", "Error"},
          {"protocol", "PreferUDP"},
          {"forwardDestination", destination},
          {"forwardPolicy", "Sequential"},
          {"maxConcurrent", 1000},
          {"cacheDuration", "1h"},
          {"serveStaleDuration", "1h"},
          {"serveStale", "Immediate"}};
}

// A node class with all fields set to valid values.
json full_spec() {
  json spec = json::parse(R"({
    "vnetSubnetID": "/subscriptions/s/resourceGroups/rg(1)/providers/Microsoft.Network/virtualNetworks/v/subnets/n",
    "osDiskSizeGB": 64, "imageFamily": "Ubuntu2204", "fipsMode": "Disabled", "tags": {"team/name": "a"}, "maxPods": 50,
    "kubelet": {"cpuManagerPolicy": "static", "cpuCFSQuota": false, "cpuCFSQuotaPeriod": "50ms",
                "imageGCHighThresholdPercent": 90, "imageGCLowThresholdPercent": 70,
                "topologyManagerPolicy": "best-effort", "allowedUnsafeSysctls": ["net.*"],
                "containerLogMaxSize": "20Mi", "containerLogMaxFiles": 3, "podPidsLimit": 4096, "failSwapOn": false},
    "security": {"encryptionAtHost": true, "trustedLaunch": {"vtpm": true, "secureBoot": true}},
    "gpu": {"mode": "None"}, "artifactStreaming": {"enabled": true},
    "linuxOSConfig": {"swapFileSize": "2Gi", "transparentHugePageEnabled": "madvise",
                      "transparentHugePageDefrag": "defer+madvise",
                      "sysctls": {"netCoreSomaxconn": 8192, "netIPv4IPLocalPortRange": "1024 65535",
                                  "netIPv4TCPTwReuse": true, "vmSwappiness": 0,
                                  "netCoreRmemDefault": 212992, "netCoreRmemMax": 212992,
                                  "netCoreWmemDefault": 212992, "netCoreWmemMax": 212992,
                                  "netIPv4NeighDefaultGcThresh1": 512, "netIPv4NeighDefaultGcThresh2": 512,
                                  "netIPv4NeighDefaultGcThresh3": 1024}}})");
  spec["localDNS"] = {{"mode", "Required"},
                      {"vnetDNSOverrides", {zone(".", "VnetDNS"), zone("cluster.local", "ClusterCoreDNS")}},
                      {"kubeDNSOverrides", {zone(".", "ClusterCoreDNS"), zone("cluster.local", "ClusterCoreDNS")}}};
  return spec;
}

Document node_class(json spec) {
  return {{{"apiVersion", "karpenter.azure.com/v1beta1"},
           {"kind", "AKSNodeClass"},
           {"metadata", {{"name", "default"}}},
           {"spec", std::move(spec)}},
          {},
          ""};
}

std::string errors_of(const json& spec) {
  Findings findings;
  read_node_class(node_class(spec), findings);
  return describe(findings, Severity::kError);
}

TEST(NodeClass, TakesEverythingItsRulesAllow) {
  Findings findings;
  const auto read = read_node_class(node_class(full_spec()), findings);
  EXPECT_EQ(describe(findings, Severity::kError), "");
  EXPECT_EQ(describe(findings, Severity::kWarning), "");
  ASSERT_TRUE(read);
  EXPECT_EQ(read->os_disk_size_gb, 64);
  EXPECT_EQ(read->max_pods, 50);
  EXPECT_FALSE(read->gpu_driver);
  EXPECT_TRUE(read->trusted_launch());
  EXPECT_EQ(read->kubelet->pod_pids_limit, 4096);
  EXPECT_EQ(read->linux_os_config->sysctls["netCoreSomaxconn"], 8192);
}

// A rule, with a value that just meets it and one that just violates it.
struct RuleCase {
  const char* pointer;
  json good;
  json bad;
  const char* said;
};

class NodeClassRule : public ::testing::TestWithParam<RuleCase> {};

TEST_P(NodeClassRule, AcceptsTheLastGoodValueAndNamesPathAndRuleOfTheFirstBadOne) {
  const RuleCase& rule = GetParam();
  json good = full_spec();
  good[json::json_pointer(rule.pointer)] = rule.good;
  EXPECT_THAT(errors_of(good), IsEmpty());
  json bad = full_spec();
  bad[json::json_pointer(rule.pointer)] = rule.bad;
  EXPECT_THAT(errors_of(bad), HasSubstr(rule.said));
}

const std::string kGroup90(90, 'g');
std::string subnet(const std::string& group) {
  return "/SUBSCRIPTIONS/s/resourcegroups/" + group + "/providers/microsoft.network/virtualNetworks/v/subnets/n";
}

INSTANTIATE_TEST_SUITE_P(
    Spec, NodeClassRule,
    ::testing::Values(
        RuleCase{"/vnetSubnetID", subnet(kGroup90), subnet(kGroup90 + "g"), "spec.vnetSubnetID: "},
        RuleCase{"/vnetSubnetID", subnet("a.b"), subnet("a."), "(rule: pattern)"},
        RuleCase{"/osDiskSizeGB", 30, 29, "spec.osDiskSizeGB: is 29, must be 30..2048 (rule: minimum)"},
        RuleCase{"/osDiskSizeGB", 2048, 2049, "spec.osDiskSizeGB: is 2049, must be 30..2048 (rule: maximum)"},
        RuleCase{"/osDiskSizeGB", 64, "64", "spec.osDiskSizeGB: must be a whole number (rule: type)"},
        RuleCase{"/imageFamily", "AzureLinux", "Ubuntu2004",
                 "spec.imageFamily: is 'Ubuntu2004', must be one of Ubuntu, "},
        RuleCase{"/fipsMode", "Disabled", "Enabled", "spec.fipsMode: is 'Enabled', must be one of FIPS, Disabled"},
        RuleCase{"/tags", json{{std::string(512, 'k'), "v"}}, json{{std::string(513, 'k'), "v"}}, "(rule: key)"},
        RuleCase{"/tags", json{{"a/b", "v"}}, json{{"a<b", "v"}}, "spec.tags.a<b: the key 'a<b' does not match"},
        RuleCase{"/tags", json{{"a", "v"}}, json{{"a\\b", "v"}}, "spec.tags.a\\b"},
        RuleCase{"/tags", json{{"a", std::string(256, 'v')}}, json{{"a", std::string(257, 'v')}}, "spec.tags.a: "},
        RuleCase{"/tags", json{{"a", "1"}}, json{{"a", 1}},
                 "spec.tags.a: must be a string (rule: type); put it in quotes"},
        RuleCase{"/maxPods", 10, 9, "spec.maxPods: is 9, must be 10..250"},
        RuleCase{"/maxPods", 250, 251, "spec.maxPods: is 251, must be 10..250"},
        RuleCase{"/gpu/mode", "Driver", "Off", "spec.gpu.mode"},
        RuleCase{"/artifactStreaming/enabled", false, "false", "spec.artifactStreaming.enabled: must be true or false"},
        RuleCase{"/security/encryptionAtHost", false, 1, "spec.security.encryptionAtHost"},
        RuleCase{"/security/trustedLaunch/vtpm", false, "yes", "spec.security.trustedLaunch.vtpm"},
        RuleCase{"/security/trustedLaunch/secureBoot", false, 0, "spec.security.trustedLaunch.secureBoot"}));

INSTANTIATE_TEST_SUITE_P(
    Kubelet, NodeClassRule,
    ::testing::Values(
        RuleCase{"/kubelet/cpuManagerPolicy", "none", "dynamic", "spec.kubelet.cpuManagerPolicy"},
        RuleCase{"/kubelet/cpuCFSQuota", true, "on", "spec.kubelet.cpuCFSQuota"},
        RuleCase{"/kubelet/cpuCFSQuotaPeriod", "1s", "fast", "spec.kubelet.cpuCFSQuotaPeriod"},
        RuleCase{"/kubelet/imageGCHighThresholdPercent", 100, 101, "spec.kubelet.imageGCHighThresholdPercent"},
        RuleCase{"/kubelet/failSwapOn", false, "no", "spec.kubelet.failSwapOn"},
        RuleCase{"/kubelet/imageGCLowThresholdPercent", 0, -1, "spec.kubelet.imageGCLowThresholdPercent"},
        RuleCase{"/kubelet/imageGCLowThresholdPercent", 89, 90,
                 "spec.kubelet.imageGCHighThresholdPercent: imageGCHighThresholdPercent must be greater than "
                 "imageGCLowThresholdPercent"},
        RuleCase{"/kubelet/topologyManagerPolicy", "single-numa-node", "numa", "spec.kubelet.topologyManagerPolicy"},
        RuleCase{"/kubelet/allowedUnsafeSysctls", json{"kernel.msg*"}, "kernel.msg*", "must be a list"},
        RuleCase{"/kubelet/containerLogMaxSize", "1K", "1k", "spec.kubelet.containerLogMaxSize"},
        RuleCase{"/kubelet/containerLogMaxSize", "10Gi", "10", "(rule: pattern)"},
        RuleCase{"/kubelet/containerLogMaxFiles", 2, 1, "spec.kubelet.containerLogMaxFiles: is 1, must be at least 2"},
        RuleCase{"/kubelet/podPidsLimit", -1, 1.5, "spec.kubelet.podPidsLimit"}));

json forced_to_verify() {
  json forced = zone("example.com", "VnetDNS");
  forced["protocol"] = "ForceTCP";
  forced["serveStale"] = "Verify";
  return forced;
}
json zones(int count) {
  json list = {zone(".", "VnetDNS"), zone("cluster.local", "ClusterCoreDNS")};
  for (int i = 2; i < count; ++i) list.push_back(zone(("z" + std::to_string(i)).c_str(), "VnetDNS"));
  return list;
}
const std::string kName254 =
    std::string(63, 'a') + "." + std::string(63, 'b') + "." + std::string(63, 'c') + "." + std::string(61, 'd') + ".";

INSTANTIATE_TEST_SUITE_P(
    LocalDns, NodeClassRule,
    ::testing::Values(
        RuleCase{"/localDNS/mode", "Preferred", "On", "spec.localDNS.mode"},
        RuleCase{"/localDNS/vnetDNSOverrides/1/zone", "cluster.local", "other.local",
                 "vnetDNSOverrides must contain the zones '.' and 'cluster.local'"},
        RuleCase{"/localDNS/kubeDNSOverrides/0/zone", ".", "example.com", "kubeDNSOverrides must contain the zones"},
        RuleCase{"/localDNS/vnetDNSOverrides/0/forwardDestination", "VnetDNS", "ClusterCoreDNS",
                 "the root zone '.' cannot be forwarded to ClusterCoreDNS from vnetDNSOverrides"},
        RuleCase{"/localDNS/vnetDNSOverrides/2", zone("example.com", "VnetDNS"), zone("example.com", "ClusterCoreDNS"),
                 "external domains cannot be forwarded to ClusterCoreDNS"},
        RuleCase{
            "/localDNS/kubeDNSOverrides/1/forwardDestination", "ClusterCoreDNS", "VnetDNS",
            "spec.localDNS.kubeDNSOverrides[1].forwardDestination: 'cluster.local' cannot be forwarded to VnetDNS"},
        RuleCase{"/localDNS/kubeDNSOverrides/2", zone("example.com", "VnetDNS"), zone(".", "VnetDNS"),
                 "kubeDNSOverrides must name each zone once"},
        RuleCase{"/localDNS/vnetDNSOverrides/2", zone("example.com", "VnetDNS"), zone(".", "VnetDNS"),
                 "vnetDNSOverrides must name each zone once"},
        RuleCase{"/localDNS/kubeDNSOverrides/2", zone("a_b.example.com.", "VnetDNS"), zone("-a.com", "VnetDNS"),
                 "spec.localDNS.kubeDNSOverrides[2].zone"},
        RuleCase{"/localDNS/kubeDNSOverrides/0/queryLogging", "Log", "Debug", "queryLogging"},
        RuleCase{"/localDNS/kubeDNSOverrides/0/protocol", "ForceTCP", "UDP", "protocol"},
        RuleCase{"/localDNS/kubeDNSOverrides/0/forwardPolicy", "Random", "First", "forwardPolicy"},
        RuleCase{"/localDNS/kubeDNSOverrides/0/maxConcurrent", 0, -1, "maxConcurrent: is -1, must be at least 0"},
        RuleCase{"/localDNS/kubeDNSOverrides/0/cacheDuration", "1h30m", "1d", "cacheDuration"},
        RuleCase{"/localDNS/kubeDNSOverrides/0/serveStaleDuration", "10s", "10", "serveStaleDuration"},
        RuleCase{"/localDNS/kubeDNSOverrides/0/serveStale", "Verify", "Never", "serveStale"},
        RuleCase{"/localDNS/kubeDNSOverrides/0/forwardDestination", "VnetDNS", "Internet", "forwardDestination"},
        RuleCase{"/localDNS/kubeDNSOverrides/2", zone("example.com", "VnetDNS"), forced_to_verify(),
                 "serveStale Verify cannot be used with protocol ForceTCP"},
        RuleCase{"/localDNS/kubeDNSOverrides/2", zone(kName254.c_str(), "VnetDNS"),
                 zone((kName254 + "a").c_str(), "VnetDNS"), "spec.localDNS.kubeDNSOverrides[2].zone"},
        RuleCase{"/localDNS/kubeDNSOverrides", zones(100), zones(101), "kubeDNSOverrides: has 101 items"},
        RuleCase{"/localDNS/vnetDNSOverrides", zones(100), zones(101), "vnetDNSOverrides: has 101 items"}));

INSTANTIATE_TEST_SUITE_P(
    LinuxOsConfig, NodeClassRule,
    ::testing::Values(
        RuleCase{"/linuxOSConfig/swapFileSize", "1500Mi", "1.5Gi", "spec.linuxOSConfig.swapFileSize"},
        RuleCase{"/linuxOSConfig/transparentHugePageEnabled", "never", "defer", "transparentHugePageEnabled"},
        RuleCase{"/linuxOSConfig/transparentHugePageDefrag", "defer", "maybe", "transparentHugePageDefrag"},
        RuleCase{"/linuxOSConfig/sysctls/netCoreSomaxconn", 4096, 4095, "is 4095, must be 4096..3240000"},
        RuleCase{"/linuxOSConfig/sysctls/vmSwappiness", 100, 101, "is 101, must be 0..100"},
        RuleCase{"/linuxOSConfig/sysctls/netIPv4TCPTwReuse", false, 1, "netIPv4TCPTwReuse: must be true or false"},
        RuleCase{"/linuxOSConfig/sysctls/netIPv4IPLocalPortRange", "32768 60999", "32768-60999", "(rule: pattern)"},
        RuleCase{"/linuxOSConfig/sysctls/netIPv4IPLocalPortRange", "1024 65535", "1023 65535",
                 "first port must be in [1024, 60999]"},
        RuleCase{"/linuxOSConfig/sysctls/netIPv4IPLocalPortRange", "60999 65535", "61000 65535",
                 "first port must be in [1024, 60999]"},
        RuleCase{"/linuxOSConfig/sysctls/netIPv4IPLocalPortRange", "1024 32768", "1024 32767",
                 "last port must be in [32768, 65535]"},
        RuleCase{"/linuxOSConfig/sysctls/netIPv4IPLocalPortRange", "40000 40000", "40001 40000",
                 "first port must be <= last port"},
        RuleCase{"/linuxOSConfig/sysctls/netCoreRmemDefault", 212992, 212993,
                 "netCoreRmemDefault must be <= netCoreRmemMax"},
        RuleCase{"/linuxOSConfig/sysctls/netCoreWmemDefault", 212992, 212993,
                 "netCoreWmemDefault must be <= netCoreWmemMax"},
        RuleCase{"/linuxOSConfig/sysctls/netIPv4NeighDefaultGcThresh1", 512, 513, "GcThresh1 must be <= "},
        RuleCase{"/linuxOSConfig/sysctls/netIPv4NeighDefaultGcThresh2", 1024, 1025, "GcThresh2 must be <= "}));

TEST(NodeClass, ChecksTheBoundsOfEverySysctl) {
  const std::map<std::string, std::pair<int, int>> bounds = {
      {"fsAioMaxNr", {65536, 6553500}},
      {"fsFileMax", {8192, 12000500}},
      {"fsInotifyMaxUserWatches", {781250, 2097152}},
      {"fsNrOpen", {8192, 20000500}},
      {"kernelThreadsMax", {20, 513785}},
      {"netCoreNetdevMaxBacklog", {1000, 3240000}},
      {"netCoreOptmemMax", {20480, 4194304}},
      {"netCoreRmemDefault", {212992, 134217728}},
      {"netCoreRmemMax", {212992, 134217728}},
      {"netCoreSomaxconn", {4096, 3240000}},
      {"netCoreWmemDefault", {212992, 134217728}},
      {"netCoreWmemMax", {212992, 134217728}},
      {"netIPv4NeighDefaultGcThresh1", {128, 80000}},
      {"netIPv4NeighDefaultGcThresh2", {512, 90000}},
      {"netIPv4NeighDefaultGcThresh3", {1024, 100000}},
      {"netIPv4TCPFinTimeout", {5, 120}},
      {"netIPv4TCPKeepaliveIntvl", {10, 90}},
      {"netIPv4TCPKeepaliveProbes", {1, 15}},
      {"netIPv4TCPKeepaliveTime", {30, 432000}},
      {"netIPv4TCPMaxSynBacklog", {128, 3240000}},
      {"netIPv4TCPMaxTwBuckets", {8000, 1440000}},
      {"netNetfilterNfConntrackBuckets", {65536, 524288}},
      {"netNetfilterNfConntrackMax", {131072, 2097152}},
      {"vmMaxMapCount", {65530, 262144}},
      {"vmSwappiness", {0, 100}},
      {"vmVfsCachePressure", {0, 100}},
  };
  const auto errors = [](const std::string& name, int value) {
    return errors_of({{"linuxOSConfig", {{"sysctls", {{name, value}}}}}});
  };
  for (const auto& [name, bound] : bounds) {
    EXPECT_EQ(errors(name, bound.first), "") << name;
    EXPECT_EQ(errors(name, bound.second), "") << name;
    EXPECT_THAT(errors(name, bound.first - 1), HasSubstr("spec.linuxOSConfig.sysctls." + name + ": is "));
    EXPECT_THAT(errors(name, bound.second + 1), HasSubstr("spec.linuxOSConfig.sysctls." + name + ": is "));
  }
}

TEST(NodeClass, AsksEveryZoneForAllItsFields) {
  const json whole = zone(".", "ClusterCoreDNS");
  for (const auto& [name, ignored] : whole.items()) {
    json spec = full_spec();
    spec["localDNS"]["kubeDNSOverrides"][0].erase(name);
    EXPECT_THAT(errors_of(spec), HasSubstr("spec.localDNS.kubeDNSOverrides[0]." + name + ": must be set"));
  }
}

TEST(NodeClass, AllowsFipsOnlyWhereThereIsAnImageForIt) {
  const auto errors = [](const char* family, bool trusted_launch) {
    json spec = {{"fipsMode", "FIPS"}, {"security", {{"trustedLaunch", {{"vtpm", trusted_launch}}}}}};
    if (*family != '\0') spec["imageFamily"] = family;
    return errors_of(spec);
  };
  for (const char* family : {"", "Ubuntu", "AzureLinux"}) EXPECT_EQ(errors(family, false), "") << family;
  for (const char* family : {"", "Ubuntu", "Ubuntu2204"}) EXPECT_EQ(errors(family, true), "") << family;
  EXPECT_THAT(errors("Ubuntu2404", false), HasSubstr("spec.fipsMode: FIPS is not supported for Ubuntu2404"));
  EXPECT_THAT(errors("Ubuntu2204", false), HasSubstr("FIPS on Ubuntu2204 needs trusted launch"));
  EXPECT_THAT(errors("AzureLinux", true), HasSubstr("trusted launch with FIPS is supported for Ubuntu"));
}

TEST(NodeClass, RefusesSwapThatKubeletWouldRefuse) {
  json spec = full_spec();
  EXPECT_EQ(errors_of(spec), "");
  spec["kubelet"]["failSwapOn"] = true;
  EXPECT_THAT(errors_of(spec), HasSubstr("linuxOSConfig.swapFileSize needs kubelet.failSwapOn to be set to false"));
  spec["kubelet"].erase("failSwapOn");
  EXPECT_THAT(errors_of(spec), HasSubstr("linuxOSConfig.swapFileSize needs kubelet.failSwapOn"));
}

TEST(NodeClass, WarnsOfAFieldThatHasNoEffectAndGuessesTheRightName) {
  Findings findings;
  EXPECT_TRUE(read_node_class(node_class({{"osDiskSizeGb", 200}}), findings));
  EXPECT_THAT(describe(findings, Severity::kWarning),
              HasSubstr("spec.osDiskSizeGb: there is no such field; it has no effect (rule: unknown-field); did you "
                        "mean osDiskSizeGB?"));
}

TEST(NodeClassRules, OrderTheThresholdsOfNeighboursAlsoWithoutTheMiddleOne) {
  Findings findings;
  read_node_class({json::parse(R"({"apiVersion": "karpenter.azure.com/v1beta1", "kind": "AKSNodeClass",
    "metadata": {"name": "a"}, "spec": {"linuxOSConfig": {"sysctls": {
    "netIPv4NeighDefaultGcThresh1": 2000, "netIPv4NeighDefaultGcThresh3": 1024}}}})"),
                   {},
                   ""},
                  findings);
  EXPECT_EQ(describe(findings, Severity::kError),
            "spec.linuxOSConfig.sysctls.netIPv4NeighDefaultGcThresh1: netIPv4NeighDefaultGcThresh1 must be <= "
            "netIPv4NeighDefaultGcThresh3 (rule: x-kubernetes-validations)\n");
}

}  // namespace
}  // namespace sunup::fleet

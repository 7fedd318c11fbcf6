#include "fleet/sources/node_class_hash.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "contract/kubelet_settings.h"
#include "fleet/sources/node_class.h"

namespace sunup::fleet {
namespace {

using nlohmann::json;

// The spec whose hash is published in the tests of the API.
json base_spec() {
  return json::parse(R"({
    "vnetSubnetID": "subnet-id", "osDiskSizeGB": 30, "imageFamily": "Ubuntu2204", "maxPods": 100,
    "kubelet": {"cpuManagerPolicy": "static", "cpuCFSQuota": true, "cpuCFSQuotaPeriod": "100ms",
                "imageGCHighThresholdPercent": 85, "imageGCLowThresholdPercent": 80, "topologyManagerPolicy": "none",
                "allowedUnsafeSysctls": ["net.core.somaxconn"], "containerLogMaxSize": "10Mi",
                "containerLogMaxFiles": 10}})");
}

std::string hash_with(const char* change) {
  json spec = base_spec();
  spec.merge_patch(json::parse(change));
  return *node_class_hash(spec);
}

TEST(NodeClassHash, ReproducesThePublishedHashes) {
  EXPECT_EQ(hash_with("{}"), "4108492229247269128");
  EXPECT_EQ(hash_with(R"({"vnetSubnetID": "subnet-id-2"})"), "13971920214979852468");
  EXPECT_EQ(hash_with(R"({"osDiskSizeGB": 40})"), "7816855636861645563");
  EXPECT_EQ(hash_with(R"({"osDiskType": "Managed"})"), "10944184826674581697");
  EXPECT_EQ(hash_with(R"({"imageFamily": "AzureLinux"})"), "15616969746300892810");
  EXPECT_EQ(hash_with(R"({"kubelet": {"cpuManagerPolicy": "none"}})"), "33638514539106194");
  EXPECT_EQ(hash_with(R"({"maxPods": 200})"), "15508761509963240710");
}

// The rules and the hash both refuse a wrong type for every field in the table of settings.
TEST(NodeClassHash, HasEveryKubeletFieldOfTheTable) {
  int fields = 0;
  for (const contract::KubeletRow& row : contract::kubelet_settings()) {
    if (row.class_field.empty()) continue;
    ++fields;
    const std::string path(row.class_field);
    const json spec = {{"kubelet", {{path.substr(path.rfind('.') + 1), json::object()}}}};
    const auto hash = node_class_hash(spec);
    ASSERT_FALSE(hash) << path;
    EXPECT_TRUE(hash.error().what.starts_with(path)) << hash.error().what;
    Findings findings;
    read_node_class({{{"apiVersion", "karpenter.azure.com/v1beta1"},
                      {"kind", "AKSNodeClass"},
                      {"metadata", {{"name", "d"}}},
                      {"spec", spec}},
                     {},
                     ""},
                    findings);
    EXPECT_NE(describe(findings, Severity::kError).find(path), std::string::npos) << path;
  }
  EXPECT_EQ(fields, 11);
}

TEST(NodeClassHash, ReproducesThePublishedHashesOfNestedRecords) {
  EXPECT_EQ(hash_with(R"({"localDNS": {"mode": "Required"}})"), "17805442572569734619");
  EXPECT_EQ(hash_with(R"({"localDNS": {"vnetDNSOverrides": [{"zone": "example.com", "queryLogging": "Log"}]}})"),
            "14608914734386108436");
  EXPECT_EQ(hash_with(R"({"localDNS": {"kubeDNSOverrides": [{"zone": "example.com", "protocol": "ForceTCP"}]}})"),
            "4529827108104295737");
  EXPECT_EQ(hash_with(R"({"localDNS": {"vnetDNSOverrides": [{"zone": "example.com", "cacheDuration": "1h"}]}})"),
            "11008649797056761238");
  EXPECT_EQ(hash_with(R"({"localDNS": {"vnetDNSOverrides": [{"zone": "example.com", "serveStaleDuration": "30m"}]}})"),
            "4895720480850206885");
  EXPECT_EQ(hash_with(R"({"artifactStreaming": {"enabled": true}})"), "15355387647114481444");
}

// No hash of these is published; the field names are those in code that uses the Go types.
TEST(NodeClassHash, ChangesWithTrustedLaunch) {
  const auto launch = [](const char* fields) {
    return hash_with((R"({"security": {"trustedLaunch": )" + std::string(fields) + "}}").c_str());
  };
  EXPECT_NE(launch(R"({"vtpm": true})"), launch(R"({"vtpm": false})"));
  EXPECT_NE(launch(R"({"vtpm": true})"), launch(R"({"secureBoot": true})"));
  EXPECT_NE(launch("{}"), hash_with(R"({"security": {}})"));
}

TEST(NodeClassHash, IgnoresTags) {
  EXPECT_EQ(hash_with(R"({"tags": {"a": "b"}})"), hash_with("{}"));
}

TEST(NodeClassHash, CountsAFalseThatWasWritten) {
  EXPECT_NE(hash_with(R"({"security": {"encryptionAtHost": false}})"), hash_with(R"({"security": {}})"));
}

TEST(NodeClassHash, DoesNotDependOnTheOrderOfAList) {
  EXPECT_EQ(hash_with(R"({"kubelet": {"allowedUnsafeSysctls": ["a", "b"]}})"),
            hash_with(R"({"kubelet": {"allowedUnsafeSysctls": ["b", "a"]}})"));
}

TEST(NodeClassHash, NamesTheFieldThatHasTheWrongType) {
  json spec = base_spec();
  spec["kubelet"]["cpuCFSQuota"] = "yes";
  EXPECT_EQ(node_class_hash(spec).error().what, "spec.kubelet.cpuCFSQuota: must be true or false");
}

}  // namespace
}  // namespace sunup::fleet

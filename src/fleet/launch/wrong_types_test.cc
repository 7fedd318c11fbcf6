// A value of the wrong type anywhere in a document is a finding or is ignored. It is never an exception, which would
// end a program that has ten thousand more claims to resolve.
#include <gtest/gtest.h>

#include "fleet/launch/batch.h"
#include "fleet/launch/drift.h"
#include "fleet/launch/test_launch.h"

namespace sunup::fleet {
namespace {

using nlohmann::json;

// Calls `tried` with the document once for each of its parts, replaced by each type of value.
template <class Try>
void with_every_part_wrong(const json& document, Try tried) {
  std::vector<json::json_pointer> places = {json::json_pointer()};
  const json flat = document.flatten();
  for (const auto& [path, value] : flat.items())
    for (json::json_pointer at(path); !at.empty(); at = at.parent_pointer()) places.push_back(at);
  const json values[] = {nullptr,
                         true,
                         5,
                         1.5,
                         "text",
                         json::array(),
                         json::array({5}),
                         json::object(),
                         json::object({{"text", json::array()}})};
  for (const json::json_pointer& place : places) {
    for (const json& value : values) {
      json wrong = document;
      wrong[place] = value;
      EXPECT_NO_THROW(tried(wrong)) << wrong.dump();
    }
  }
}

json whole_class() {
  return json::parse(R"({"apiVersion": "karpenter.azure.com/v1beta1", "kind": "AKSNodeClass",
    "metadata": {"name": "default", "generation": 2},
    "spec": {"imageFamily": "Ubuntu2204", "osDiskSizeGB": 64, "maxPods": 60, "tags": {"a": "b"}, "fipsMode": "Disabled",
      "kubelet": {"cpuCFSQuota": true, "allowedUnsafeSysctls": ["a"], "containerLogMaxFiles": 3},
      "security": {"encryptionAtHost": true, "trustedLaunch": {"vtpm": true}}, "gpu": {"mode": "None"},
      "artifactStreaming": {"enabled": false}, "linuxOSConfig": {"swapFileSize": "1Gi", "sysctls": {"vmSwappiness": 1}}},
    "status": {"kubernetesVersion": "1.33.1", "conditions": [{"type": "Ready", "status": "True", "observedGeneration": 2},
      {"type": "ImagesReady", "status": "True"}, {"type": "KubernetesVersionReady", "status": "True"}],
      "images": [{"id": "/x/images/2204gen2containerd/versions/1",
        "requirements": [{"key": "kubernetes.io/arch", "operator": "In", "values": ["amd64"]}]}]}})");
}

json whole_pool(const char* version) {
  json pool = json::parse(R"({"kind": "NodePool", "metadata": {"name": "general"},
    "spec": {"weight": 10, "limits": {"cpu": "100"},
      "disruption": {"consolidateAfter": "30s", "budgets": [{"nodes": "20%", "schedule": "@daily", "duration": "8h"}]},
      "template": {"metadata": {"labels": {"team": "web"}, "annotations": {"a": "b"}},
        "spec": {"requirements": [{"key": "karpenter.sh/capacity-type", "operator": "In", "values": ["spot"]}],
          "taints": [{"key": "team", "value": "web", "effect": "NoSchedule"}],
          "nodeClassRef": {"group": "karpenter.azure.com", "kind": "AKSNodeClass", "name": "default"},
          "expireAfter": "24h", "kubelet": {"clusterDNS": ["10.0.0.10"], "evictionHard": {"memory.available": "5%"}}}}}})");
  pool["apiVersion"] = version;
  return pool;
}

json whole_claim() {
  return json::parse(R"({"apiVersion": "karpenter.sh/v1", "kind": "NodeClaim",
    "metadata": {"name": "c", "labels": {"karpenter.sh/nodepool": "default", "team": "web"}, "annotations": {"a": "b"}},
    "spec": {"requirements": [{"key": "node.kubernetes.io/instance-type", "operator": "In", "values": ["Standard_D4s_v5"]}],
      "taints": [{"key": "team", "value": "web", "effect": "NoSchedule"}], "resources": {"requests": {"cpu": "1"}},
      "nodeClassRef": {"group": "karpenter.azure.com", "kind": "AKSNodeClass", "name": "default"}}})");
}

TEST(WrongTypes, InANodeClassAreFindings) {
  with_every_part_wrong(whole_class(), [](const json& wrong) {
    Findings findings;
    read_node_class(*read_json_document(wrong.dump()), findings);
  });
}

TEST(WrongTypes, InANodePoolAreFindings) {
  for (const char* version : {"karpenter.sh/v1", "karpenter.sh/v1beta1"})
    with_every_part_wrong(whole_pool(version), [](const json& wrong) {
      Findings findings;
      read_node_pool(*read_json_document(wrong.dump()), findings);
    });
}

TEST(WrongTypes, InAClaimAreItsOwnLinesFailure) {
  CheckedNode test;
  const Resolver resolver = test.resolver();
  Catalog catalog;
  Findings findings;
  catalog.add({{test.pool, {}, ""}, {test.node_class, {}, ""}}, findings);
  Batch batch(resolver, catalog);
  with_every_part_wrong(whole_claim(), [&](const json& wrong) {
    std::string out;
    batch.resolve(wrong.dump(), out);
    EXPECT_TRUE(json::accept(out)) << out;
  });
}

TEST(WrongTypes, InSettingsAreFindings) {
  json settings = CheckedNode().settings;
  settings["env"] = {{{"name", "LOCATION"}, {"value", "eastus"}}};
  settings["data"] = {{"azure.tags", "{}"}, {"azure.nodeIdentities", "[]"}};
  settings["additional-tags"] = {{"a", "b"}};
  with_every_part_wrong(settings, [](const json& wrong) {
    Findings findings;
    check_settings(read_settings({{wrong, {}, ""}}, {}, findings), findings);
  });
}

TEST(WrongTypes, InInstanceTypesAndImageVersionsAreErrors) {
  with_every_part_wrong(
      json::parse(R"({"value": [{"name": "Standard_X", "capabilities": [{"name": "vCPUs", "value": "4"},
        {"name": "MemoryGB", "value": "16"}], "gpuName": "t4"}]})"),
      [](const json& wrong) { (void)read_instance_types({wrong, {}, ""}); });
  with_every_part_wrong(json::parse(R"({"values": [{"os": "AKSUbuntu", "sku": "a", "version": "1.2.3"}]})"),
                        [](const json& wrong) { (void)parse_image_versions(wrong.dump(), "f"); });
}

TEST(WrongTypes, InWhatIsComparedForDriftAreErrors) {
  TestLaunch made{CheckedNode()};
  const json is = made.to_json();
  with_every_part_wrong(is, [&](const json& wrong) { (void)compare_drift(wrong, is); });
}

}  // namespace
}  // namespace sunup::fleet

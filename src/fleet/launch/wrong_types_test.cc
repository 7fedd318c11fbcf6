// A value of the wrong type anywhere in a document is a finding, except in the parts that a test names. It is never an
// exception, which would end a program that has ten thousand more claims to resolve.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "fleet/launch/batch.h"
#include "fleet/launch/drift.h"
#include "fleet/launch/test_launch.h"

namespace sunup::fleet {
namespace {

using nlohmann::json;
using ::testing::ElementsAre;

bool same_type(const json& a, const json& b) {
  return a.type() == b.type() || (a.is_number() && b.is_number());
}

// Replaces each part of the document in turn by a value of each type, and calls `noticed` with the result, which must
// not throw. Returns the parts for which a call returned false although the type was wrong. A null counts as no value,
// not as a wrong type.
template <class Noticed>
std::set<std::string> unnoticed(const json& document, Noticed noticed) {
  std::set<json::json_pointer> places = {json::json_pointer()};
  const json flat = document.flatten();
  for (const auto& [path, value] : flat.items())
    for (json::json_pointer at(path); !at.empty(); at = at.parent_pointer()) places.insert(at);
  const json values[] = {nullptr,
                         true,
                         5,
                         1.5,
                         "text",
                         json::array(),
                         json::array({5}),
                         json::object(),
                         json::object({{"text", json::array()}})};
  EXPECT_FALSE(noticed(document)) << "the document is wrong itself";
  std::set<std::string> parts;
  for (const json::json_pointer& place : places) {
    for (const json& value : values) {
      json wrong = document;
      wrong[place] = value;
      bool said = false;
      EXPECT_NO_THROW(said = noticed(wrong)) << wrong.dump();
      if (!said && !value.is_null() && !same_type(value, document[place])) parts.insert(place.to_string());
    }
  }
  return parts;
}

json whole_class() {
  return json::parse(R"({"apiVersion": "karpenter.azure.com/v1beta1", "kind": "AKSNodeClass",
    "metadata": {"name": "default", "generation": 2},
    "spec": {"imageFamily": "Ubuntu2204", "osDiskSizeGB": 64, "maxPods": 60, "tags": {"a": "b"}, "fipsMode": "Disabled",
      "kubelet": {"cpuCFSQuota": true, "failSwapOn": false, "allowedUnsafeSysctls": ["a"], "containerLogMaxFiles": 3},
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
  if (pool["apiVersion"] == "karpenter.sh/v1") pool["spec"]["template"]["spec"].erase("kubelet");
  return pool;
}

json whole_claim() {
  return json::parse(R"({"apiVersion": "karpenter.sh/v1", "kind": "NodeClaim",
    "metadata": {"name": "c", "labels": {"karpenter.sh/nodepool": "default", "team": "web"}, "annotations": {"a": "b"}},
    "spec": {"requirements": [{"key": "node.kubernetes.io/instance-type", "operator": "In", "values": ["Standard_D4s_v5"]}],
      "taints": [{"key": "team", "value": "web", "effect": "NoSchedule"}], "resources": {"requests": {"cpu": "1"}},
      "nodeClassRef": {"group": "karpenter.azure.com", "kind": "AKSNodeClass", "name": "default"}}})");
}

// The controller writes the status, so it is not checked.
TEST(WrongTypes, InANodeClassAreFindings) {
  auto parts = unnoticed(whole_class(), [](const json& wrong) {
    Findings findings;
    read_node_class(*read_json_document(wrong.dump()), findings);
    return !findings.empty();
  });
  std::erase_if(parts, [](const std::string& part) { return part.starts_with("/status"); });
  EXPECT_THAT(parts, ElementsAre("/metadata/generation"));
}

TEST(WrongTypes, InANodePoolAreFindings) {
  for (const char* version : {"karpenter.sh/v1", "karpenter.sh/v1beta1"})
    EXPECT_THAT(unnoticed(whole_pool(version),
                          [](const json& wrong) {
                            Findings findings;
                            read_node_pool(*read_json_document(wrong.dump()), findings);
                            return has_errors(findings);
                          }),
                ElementsAre("/spec/limits/cpu"));  // a quantity may be a number
}

TEST(WrongTypes, InAClaimAreItsOwnLinesFailure) {
  CheckedNode test;
  const Resolver resolver = test.resolver();
  Catalog catalog;
  Findings findings;
  catalog.add({{test.pool, {}, ""}, {test.node_class, {}, ""}}, findings);
  Batch batch(resolver, catalog);
  EXPECT_THAT(unnoticed(whole_claim(),
                        [&](const json& wrong) {
                          std::string out;
                          const bool failed = !batch.resolve(wrong.dump(), out);
                          EXPECT_TRUE(json::accept(out)) << out;
                          return failed;
                        }),
              ElementsAre("/metadata/annotations/a"));  // annotations are not read
}

// A number is read as text, and a list of identities may be a list or the text of one.
TEST(WrongTypes, InSettingsAreFindings) {
  json settings = CheckedNode().settings;
  settings.erase("location");
  settings["env"] = {{{"name", "LOCATION"}, {"value", "eastus"}}};
  settings["data"] = {{"azure.nodeIdentities", "[]"}};
  settings["additional-tags"] = {{"a", "b"}};
  EXPECT_THAT(unnoticed(settings,
                        [](const json& wrong) {
                          Findings findings;
                          check_settings(read_settings({{wrong, {}, ""}}, {}, findings), findings);
                          return !findings.empty();
                        }),
              ElementsAre("/additional-tags/a", "/cluster-name", "/data/azure.nodeIdentities", "/env/0/value",
                          "/network-policy", "/node-resource-group", "/ssh-public-key", "/subscription-id"));
}

TEST(WrongTypes, InInstanceTypesAndImageVersionsAreErrors) {
  EXPECT_THAT(
      unnoticed(json::parse(R"({"value": [{"name": "Standard_X", "capabilities": [{"name": "vCPUs", "value": "4"},
                {"name": "MemoryGB", "value": "16"}], "gpuName": "t4"}]})"),
                [](const json& wrong) {
                  std::vector<contract::Finding> findings;
                  check_instance_types({wrong, {}, ""}, findings);
                  return !read_instance_types({wrong, {}, ""}) || !findings.empty();
                }),
      ElementsAre("", "/value/0/capabilities/0/value", "/value/0/capabilities/1/value"));  // a list; numbers
  EXPECT_THAT(unnoticed(json::parse(R"({"values": [{"os": "AKSUbuntu", "sku": "a", "version": "1.2.3"}]})"),
                        [](const json& wrong) { return !parse_image_versions(wrong.dump(), "f"); }),
              ElementsAre("/values/0/os"));  // compared with the names of operating systems
}

TEST(WrongTypes, InWhatIsComparedForDriftAreErrorsOrDrift) {
  TestLaunch made{CheckedNode()};
  const json is = made.to_json();
  const auto parts = unnoticed(is, [&](const json& wrong) {
    const auto compared = compare_drift(wrong, is);
    return !compared || compared->drifted();
  });
  for (const char* part : {"", "/kubernetesVersion", "/image", "/image/id", "/tags", "/hashes/nodeClass"}) {
    EXPECT_TRUE(is.contains(json::json_pointer(part))) << part;
    EXPECT_FALSE(parts.contains(part)) << part;
  }
}

}  // namespace
}  // namespace sunup::fleet

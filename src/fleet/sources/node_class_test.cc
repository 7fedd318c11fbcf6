#include "fleet/sources/node_class.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace sunup::fleet {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

Document node_class(json spec) {
  return {{{"apiVersion", "karpenter.azure.com/v1beta1"},
           {"kind", "AKSNodeClass"},
           {"metadata", {{"name", "default"}}},
           {"spec", std::move(spec)}},
          {},
          ""};
}

TEST(NodeClass, FillsInDefaultsAndKubeletDefaultsOnlyWhenThereIsAKubelet) {
  Findings findings;
  const auto plain = read_node_class(node_class(json::object()), findings);
  EXPECT_EQ(plain->os_disk_size_gb, 128);
  EXPECT_EQ(plain->image_family, "Ubuntu");
  EXPECT_FALSE(plain->kubelet);
  const auto with_kubelet = read_node_class(node_class({{"kubelet", json::object()}}), findings);
  EXPECT_EQ(with_kubelet->kubelet->container_log_max_size, "50Mi");
  EXPECT_EQ(with_kubelet->kubelet->container_log_max_files, 5);
  EXPECT_EQ(with_kubelet->kubelet->cpu_manager_policy, "none");
  EXPECT_EQ(with_kubelet->kubelet->cpu_cfs_quota, true);
  EXPECT_FALSE(with_kubelet->kubelet->image_gc_high_threshold_percent);
}

TEST(NodeClass, TrustsItsStatusOnlyForTheGenerationItWasJudgedFor) {
  Document doc = node_class(json::object());
  doc.value["metadata"]["generation"] = 2;
  doc.value["status"] = json::parse(R"({"kubernetesVersion": "1.33.1",
    "images": [{"id": "i", "requirements": [{"key": "kubernetes.io/arch", "operator": "In", "values": ["amd64"]}]}],
    "conditions": [{"type": "KubernetesVersionReady", "status": "True", "observedGeneration": 2},
                   {"type": "ImagesReady", "status": "True", "observedGeneration": 1},
                   {"type": "Ready", "status": "True", "observedGeneration": 2}]})");
  Findings findings;
  const auto read = read_node_class(doc, findings);
  EXPECT_EQ(read->status.kubernetes_version, "1.33.1");
  EXPECT_THAT(read->status.images, IsEmpty());
  EXPECT_TRUE(read->status.ready);
}

TEST(NodeClass, IsNotReadyOnlyWhenItsStatusSaysSo) {
  const auto ready = [](const char* status) {
    Document doc = node_class(json::object());
    doc.value["status"] = json::parse(status);
    Findings findings;
    return read_node_class(doc, findings)->status.ready;
  };
  EXPECT_TRUE(ready(R"({})"));
  EXPECT_TRUE(ready(R"({"conditions": [{"type": "ImagesReady", "status": "False"}]})"));
  EXPECT_FALSE(ready(R"({"conditions": [{"type": "Ready", "status": "False"}]})"));
}

TEST(NodeClass, ReadsTheOlderNodeTemplate) {
  Document doc{{{"apiVersion", "karpenter.azure.com/v1alpha1"},
                {"kind", "NodeTemplate"},
                {"metadata", {{"name", "default"}}},
                {"spec", {{"osDiskSizeGB", 100}, {"imageVersion", "2022.10.03"}}}},
               {},
               ""};
  Findings findings;
  const auto read = read_node_class(doc, findings);
  ASSERT_TRUE(read) << describe(findings, Severity::kError);
  EXPECT_EQ(read->image_family, "Ubuntu2204");
  EXPECT_EQ(read->image_version, "2022.10.03");
  doc.value["spec"]["osDiskSizeGB"] = 99;
  EXPECT_FALSE(read_node_class(doc, findings));
}

TEST(NodeClass, SaysOnWhichLineOfTheFileARuleIsBroken) {
  const auto docs = read_documents(
      "apiVersion: karpenter.azure.com/v1beta1\nkind: AKSNodeClass\nmetadata: {name: d}\nspec:\n  maxPods: 300\n",
      "class.yaml");
  Findings findings;
  read_node_class(docs->at(0), findings);
  EXPECT_THAT(describe(findings, Severity::kError), HasSubstr("class.yaml:5: spec.maxPods: is 300, must be 10..250"));
}

TEST(NodeClass, PinsImagesInOlderVersionsOnly) {
  const auto read = [](const char* version, const char* pin, std::string* errors) {
    Findings findings;
    const auto result = read_node_class({json{{"apiVersion", std::string("karpenter.azure.com/") + version},
                                              {"kind", "AKSNodeClass"},
                                              {"metadata", {{"name", "default"}}},
                                              {"spec", {{"imageVersion", pin}, {"imageID", "x"}}}},
                                         {},
                                         ""},
                                        findings);
    *errors = describe(findings, Severity::kError);
    return result;
  };
  std::string errors;
  EXPECT_EQ(read("v1beta1", "202608.14.0", &errors)->image_version, std::nullopt);
  EXPECT_EQ(read("v1alpha2", "202608.14.0", &errors)->image_version, "202608.14.0");
  for (const char* bad : {"junk/../$x", "1..2", ".1", "1.", ""}) {
    EXPECT_FALSE(read("v1alpha2", bad, &errors)) << bad;
    EXPECT_THAT(errors, HasSubstr("spec.imageVersion: ")) << bad;
  }
}

TEST(NodeClass, HashesOnlyWhatTheApiKnows) {
  const auto hash = [](json spec) {
    Findings findings;
    return read_node_class({json{{"apiVersion", "karpenter.azure.com/v1beta1"},
                                 {"kind", "AKSNodeClass"},
                                 {"metadata", {{"name", "default"}}},
                                 {"spec", std::move(spec)}},
                            {},
                            ""},
                           findings)
        ->hash;
  };
  EXPECT_EQ(hash({{"maxPods", 50}}), hash({{"maxPods", 50}, {"imageID", "x"}, {"imageVersion", "1"}}));
}

TEST(NodeClass, CountsLengthsInCharacters) {
  const auto errors = [](const std::string& key, const std::string& value) {
    Findings findings;
    read_node_class({json{{"apiVersion", "karpenter.azure.com/v1beta1"},
                          {"kind", "AKSNodeClass"},
                          {"metadata", {{"name", "a"}}},
                          {"spec", {{"tags", {{key, value}}}}}},
                     {},
                     ""},
                    findings);
    return describe(findings, Severity::kError);
  };
  std::string umlauts;
  for (int i = 0; i < 256; ++i) umlauts += "ü";
  EXPECT_EQ(errors("k", umlauts), "");
  EXPECT_THAT(errors("k", umlauts + "ü"), HasSubstr("at most 256 characters"));
  EXPECT_THAT(errors("", "c"), HasSubstr("1 to 512 characters"));
}

}  // namespace
}  // namespace sunup::fleet

// Input that has no effect: each of these was once accepted without a message.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fleet/sources/document.h"
#include "fleet/sources/image_versions.h"
#include "fleet/sources/instance_type.h"
#include "fleet/sources/label_conflicts.h"
#include "fleet/sources/node_class.h"
#include "fleet/sources/node_pool.h"
#include "fleet/sources/settings.h"

namespace sunup::fleet {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

json pool(const char* labels, const char* requirements) {
  json object = json::parse(R"({"apiVersion": "karpenter.sh/v1", "kind": "NodePool", "metadata": {"name": "p"},
    "spec": {"template": {"metadata": {}, "spec": {
      "nodeClassRef": {"group": "karpenter.azure.com", "kind": "AKSNodeClass", "name": "default"}}}}})");
  object["spec"]["template"]["metadata"]["labels"] = json::parse(labels);
  object["spec"]["template"]["spec"]["requirements"] = json::parse(requirements);
  return object;
}

std::string said_of_pool(const json& object, Severity severity) {
  Findings findings;
  read_node_pool({object, {}, ""}, findings);
  return describe(findings, severity);
}

std::string errors_of_claim(const char* text) {
  Findings findings;
  read_node_claim({json::parse(text), {}, ""}, findings);
  return describe(findings, Severity::kError);
}

TEST(SaidInVain, IsANullAmongTheSettings) {
  const auto documents = read_documents("cluster-name: cl\nnetwork-plugin-mode: null\n", "s.yaml");
  Findings findings;
  const Settings settings = read_settings(*documents, {}, findings);
  EXPECT_EQ(settings.text(Option::kNetworkPluginMode), "overlay");
  EXPECT_THAT(describe(findings, Severity::kWarning), HasSubstr("s.yaml:2: network-plugin-mode: is null, which has"));
  Findings older;
  read_settings(*read_documents("kind: ConfigMap\ndata:\n  azure.networkPolicy:\n"), {}, older);
  EXPECT_THAT(describe(older, Severity::kWarning), HasSubstr("data.azure.networkPolicy: is null"));
}

TEST(SaidInVain, IsALabelThatARequirementRulesOut) {
  EXPECT_THAT(said_of_pool(pool(R"({"team": "web"})", R"([{"key": "team", "operator": "In", "values": ["db"]}])"),
                           Severity::kError),
              HasSubstr("requirements[0]: label team: web is not what requirement team In [db] allows"));
  EXPECT_EQ(said_of_pool(pool(R"({"team": "web"})", R"([{"key": "team", "operator": "In", "values": ["db", "web"]}])"),
                         Severity::kError),
            "");
}

TEST(SaidInVain, IsAClaimsRequirementAgainstItsPoolsLabel) {
  NodePool from;
  from.labels = {{"team", "web"}};
  NodeClaim claim;
  claim.requirements = {{"team", "In", {"db"}}};
  const auto refused = refuse_label_conflict(claim, &from);
  ASSERT_TRUE(refused);
  EXPECT_THAT(refused->what, HasSubstr("label team: web"));
  claim.labels = {{"team", "db"}};  // a label of the claim replaces that of the pool
  EXPECT_FALSE(refuse_label_conflict(claim, &from));
}

TEST(SaidInVain, AreMinValuesOfARequirement) {
  EXPECT_THAT(said_of_pool(pool("{}", R"([{"key": "karpenter.azure.com/sku-family", "operator": "In",
                                           "values": ["D", "E"], "minValues": 2}])"),
                           Severity::kNote),
              HasSubstr("requirements[0].minValues: is handled by the autoscaler"));
}

TEST(NodeClaim, HasLabelsThatAreAMapAndAVersionThatExists) {
  EXPECT_THAT(errors_of_claim(R"({"metadata": {"name": "a", "labels": []}})"),
              HasSubstr("metadata.labels: must be a map"));
  EXPECT_THAT(errors_of_claim(R"({"metadata": {"name": "a", "labels": "x"}})"), HasSubstr("metadata.labels"));
  EXPECT_THAT(errors_of_claim(R"({"apiVersion": "karpenter.sh/v9", "metadata": {"name": "a"}})"),
              HasSubstr("apiVersion: is 'karpenter.sh/v9'"));
}

TEST(NodeClaim, MayNotRequireReservedKeysButItsPool) {
  const auto with_key = [](const std::string& key) {
    return errors_of_claim(
        (R"({"metadata": {"name": "a"}, "spec": {"requirements": [{"key": ")" + key + R"(", "operator": "Exists"}]}})")
            .c_str());
  };
  EXPECT_THAT(with_key("kubernetes.io/hostname"), HasSubstr("spec.requirements[0].key"));
  EXPECT_THAT(with_key("karpenter.azure.com/mine"), HasSubstr("is restricted"));
  EXPECT_EQ(with_key("karpenter.sh/nodepool"), "");
  EXPECT_EQ(with_key("karpenter.azure.com/sku-cpu"), "");
  EXPECT_THAT(with_key("karpenter.sh/provisioner-name"), HasSubstr("is not allowed"));
  EXPECT_EQ(errors_of_claim(R"({"apiVersion": "karpenter.sh/v1alpha5", "kind": "Machine", "metadata": {"name": "a"},
    "spec": {"requirements": [{"key": "karpenter.sh/provisioner-name", "operator": "In", "values": ["default"]}]}})"),
            "");
}

TEST(InstanceTypes, AreJudgedFieldByField) {
  const auto said = [](const char* text, Severity severity) {
    Findings findings;
    check_instance_types({json::parse(text), {}, ""}, findings);
    return describe(findings, severity);
  };
  EXPECT_THAT(said(R"({"name": "a", "vCPUs": "many"})", Severity::kError), HasSubstr("vCPUs: must be a number"));
  EXPECT_THAT(said(R"({"name": "a", "encryptionAtHost": "maybe"})", Severity::kError),
              HasSubstr("must be true or false"));
  EXPECT_THAT(said(R"([{"name": "a", "arch": "riscv"}])", Severity::kError), HasSubstr("[0].arch: is 'riscv'"));
  EXPECT_THAT(said(R"({"name": "a", "vCPU": 4})", Severity::kWarning), HasSubstr("did you mean vCPUs?"));
  EXPECT_THAT(said(R"([{"name": "a"}, {"name": "A"}])", Severity::kError), HasSubstr("a is described twice"));
  EXPECT_THAT(
      said(R"({"name": "a", "capabilities": [{"name": "CpuArchitectureType", "value": "Riscv"}]})", Severity::kError),
      StartsWith("capabilities.CpuArchitectureType"));
}

TEST(InstanceTypes, AreJudgedAlsoWhereAPlaceIsNoText) {
  const json strange = {{"name", "a"}, {"locations", {"\xff"}}};
  Findings findings;
  check_instance_types({json::array({strange, strange}), {}, ""}, findings);
  EXPECT_THAT(describe(findings, Severity::kError), HasSubstr("a is described twice"));
}

TEST(InstanceTypes, OfAzuresOwnListMayHaveNamesNobodyReadsAndASizeForEachLocation) {
  Findings findings;
  check_instance_types({json::parse(R"({"value": [
      {"name": "a", "tier": "Standard", "locations": ["eastus"], "capabilities": [{"name": "vCPUs", "value": "4"},
       {"name": "RdmaEnabled", "value": "False"}]},
      {"name": "a", "tier": "Standard", "locations": ["westus"], "capabilities": []}]})"),
                        {},
                        ""},
                       findings);
  EXPECT_THAT(findings, IsEmpty());
}

TEST(Document, TakesOverTheMembersOfAMergedMap) {
  const auto documents = read_documents(
      "base: &base {a: 1, b: 2, n: 3}\nmore: &more {b: 7, c: 8}\nown:\n  b: 5\n  n:\n  <<: [*base, *more]\n"
      "quoted: {\"<<\": text}\n");
  ASSERT_TRUE(documents) << documents.error().what;
  EXPECT_EQ((*documents)[0].value["own"], json::parse(R"({"a": 1, "b": 5, "c": 8})"));
  EXPECT_EQ((*documents)[0].value["quoted"]["<<"], "text");
  EXPECT_THAT(read_documents("a:\n  <<: 5\n").error().what, AllOf(HasSubstr("line 2"), HasSubstr("(column 3)")));
}

TEST(Document, BelievesATagThatSaysText) {
  EXPECT_EQ((*read_documents("a: !!str 5\nb: 5\n"))[0].value, json::parse(R"({"a": "5", "b": 5})"));
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

TEST(Settings, OfTheOlderConfigMapNeedAPluginAndTakeItAtItsWord) {
  const auto read = [](const char* data, Findings& findings, const Environment& environment = {}) {
    Settings settings =
        read_settings({{{{"kind", "ConfigMap"}, {"data", json::parse(data)}}, {}, ""}}, environment, findings);
    check_settings(settings, findings);
    return settings;
  };
  Findings missing;
  read(R"({"azure.clusterName": "cl"})", missing);
  EXPECT_THAT(describe(missing, Severity::kError), HasSubstr("azure.networkPlugin: must be set"));
  Findings plain;
  const Settings azure = read(R"({"azure.networkPlugin": "azure"})", plain);
  EXPECT_FALSE(azure.cilium_node_subnet());
  EXPECT_THAT(describe(plain, Severity::kWarning), HasSubstr("without overlay and without cilium"));
  Findings named;
  EXPECT_TRUE(
      read(R"({"azure.networkPlugin": "azure"})", named, {{"NETWORK_DATAPLANE", "cilium"}}).cilium_node_subnet());
  Findings overlay;
  EXPECT_TRUE(read(R"({"azure.networkPlugin": "overlay"})", overlay).overlay());
  EXPECT_THAT(describe(overlay, Severity::kWarning), Not(HasSubstr("older ConfigMap")));
}

constexpr Gallery kGallery{"c", "g", "AKSUbuntu"};

TEST(ImageVersions, AreReadFromAGallerysOwnAnswerTheLastPublishedFirst) {
  constexpr char kAnswer[] = R"({"value": [
    {"name": "202608.20.0", "properties": {"publishedDate": "2026-08-21T00:00:00+00:00"}},
    {"name": "202609.01.0", "properties": {"publishedDate": "2026-08-20T00:00:00+00:00"}},
    {"name": "202612.01.0", "properties": {"publishedDate": "2026-12-01T00:00:00Z", "excludeFromLatest": true}}]})";
  const auto by_url = parse_image_versions(kAnswer, "https://g/images/2204gen2containerd/versions?api-version=1");
  ASSERT_TRUE(by_url) << by_url.error().what;
  EXPECT_EQ((*by_url)->latest(kGallery, "2204gen2containerd"), "202608.20.0");
  EXPECT_THAT(parse_image_versions(kAnswer, "file.json").error().what, HasSubstr("does not name its image"));
  const auto by_id = parse_image_versions(R"({"value": [{"name": "202608.20.0", "identifier": {"uniqueId":
    "/CommunityGalleries/g/Images/2404gen2containerd/Versions/202608.20.0"}, "properties": {}}]})",
                                          "file.json");
  ASSERT_TRUE(by_id) << by_id.error().what;
  EXPECT_EQ((*by_id)->latest(kGallery, "2404gen2containerd"), "202608.20.0");
}

TEST(ImageVersions, AreNumbersAndNothingThatCouldLeadElsewhere) {
  for (const char* text : {R"({"2204gen2containerd": "latest/../../x"})",
                           R"({"values": [{"sku": "2204gen2containerd", "version": "latest"}]})",
                           R"({"value": [{"name": "1/2", "id": "/images/a/versions/1"}]})"})
    EXPECT_THAT(parse_image_versions(text, "f").error().what, HasSubstr("is not the version of an image")) << text;
}

}  // namespace
}  // namespace sunup::fleet

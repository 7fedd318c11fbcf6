#include "fleet/launch/drift.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fleet/launch/drift_state.h"
#include "fleet/launch/launch_template.h"
#include "fleet/launch/test_launch.h"

namespace sunup::fleet {
namespace {

using nlohmann::json;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

json template_of(CheckedNode test, const std::optional<render::ResultService>& results = {}) {
  const Resolution node = test.resolve();
  const auto made = make_launch_template(node, results);
  if (!made) ADD_FAILURE() << made.error().what;
  return json::parse(launch_template_json(node, *made));
}

const DriftedField* find(const DriftReport& report, const std::string& name) {
  for (const DriftedField& field : report.fields)
    if (field.field == name) return &field;
  return nullptr;
}

class Drift : public ::testing::TestWithParam<Bootstrap> {
 protected:
  CheckedNode before = with_bootstrap();
  CheckedNode after = with_bootstrap();

  static CheckedNode with_bootstrap() {
    CheckedNode test;
    test.bootstrap = GetParam();
    return test;
  }
  DriftReport report() {
    auto compared = compare_drift(template_of(before), template_of(after));
    if (!compared) ADD_FAILURE() << compared.error().what;
    return *std::move(compared);
  }
};
INSTANTIATE_TEST_SUITE_P(EveryBootstrap, Drift, ::testing::Values(Bootstrap::kScriptless, Bootstrap::kNodeConfig),
                         [](const auto& given) {
                           return given.param == Bootstrap::kScriptless ? "Scriptless" : "NodeConfig";
                         });

TEST_P(Drift, IsNoneWhenNothingChanged) {
  EXPECT_FALSE(report().drifted());
}

// Nodes that were made before the service had an address stay.
TEST_P(Drift, IsNoneWhenResultsHaveAnotherAddress) {
  const render::ResultService one{.url = "https://one.example", .ca = ""},
      other{.url = "https://two.example", .ca = ""};
  const json none = template_of(before), first = template_of(before, one), second = template_of(before, other);
  for (const auto& [was, is] : {std::pair(none, first), std::pair(first, none), std::pair(first, second)}) {
    const auto compared = compare_drift(was, is);
    ASSERT_TRUE(compared) << compared.error().what;
    EXPECT_FALSE(compared->drifted());
  }
  EXPECT_EQ(none["customData"] == first["customData"], GetParam() == Bootstrap::kScriptless);
}

TEST_P(Drift, OfTheKubernetesVersionNeedsANewNode) {
  after.settings["kubernetes-version"] = "1.34.0";
  const DriftReport found = report();
  EXPECT_TRUE(found.needs_new_node());
  EXPECT_EQ(found.reason(), "K8sVersionDrift");
  const DriftedField* version = find(found, "kubernetesVersion");
  ASSERT_NE(version, nullptr);
  EXPECT_EQ(version->was, "1.33.1");
  EXPECT_EQ(version->is, "1.34.0");
}

TEST_P(Drift, OfTheNodeClassNamesTheFieldThatMoved) {
  after.node_class["spec"]["maxPods"] = 50;
  const DriftReport found = report();
  EXPECT_EQ(found.reason(), "NodeClassDrift");
  EXPECT_NE(find(found, "nodeClassHash"), nullptr);
  EXPECT_NE(find(found, "kubeletFlags.--max-pods"), nullptr);
}

TEST_P(Drift, OfTheKubeletIdentityNeedsANewNode) {
  before.settings["kubelet-identity-client-id"] = "61f71907-753f-4802-a901-47361c3664f2";
  after.settings["kubelet-identity-client-id"] = "71f71907-753f-4802-a901-47361c3664f2";
  EXPECT_EQ(report().reason(), "KubeletIdentityDrift");
}

TEST_P(Drift, OfTagsIsMendedInPlace) {
  after.node_class["spec"]["tags"] = {{"team", "web"}};
  const DriftReport found = report();
  EXPECT_TRUE(found.drifted());
  EXPECT_FALSE(found.needs_new_node());
  EXPECT_EQ(find(found, "tags.team")->action, DriftAction::kInPlace);
}

TEST_P(Drift, NeverComesOfTheTokenWhichIsSeenAndNeverShown) {
  after.settings["kubelet-bootstrap-token"] = "fedcba.fedcba9876543210";
  const DriftReport found = report();
  EXPECT_FALSE(found.fields.empty());
  EXPECT_FALSE(found.drifted());
  EXPECT_THAT(drift_json(found).dump(), Not(HasSubstr("0123456789abcdef")));
  EXPECT_THAT(drift_text(found), Not(HasSubstr("fedcba")));
}

TEST_P(Drift, OfLabelsAndTaintsIsTheNodePools) {
  after.pool["spec"]["template"]["metadata"]["labels"] = {{"team", "web"}};
  EXPECT_EQ(report().reason(), "NodePoolDrifted");
}

TEST_P(Drift, OfTheImageNeedsANewNode) {
  json is = template_of(after);
  is["image"]["id"] = "/CommunityGalleries/g/images/2204gen2containerd/versions/202609.01.0";
  const auto found = compare_drift(template_of(before), is);
  EXPECT_EQ(found->reason(), "ImageDrift");
}

TEST_P(Drift, NeverShowsTheProxysPassword) {
  before.settings["http-proxy"] = "http://user:hunter2@proxy:3128";
  after.settings["http-proxy"] = "http://user:hunter3@proxy:3128";
  EXPECT_THAT(drift_text(report()), Not(HasSubstr("hunter")));
  EXPECT_THAT(drift_json(report()).dump(), Not(HasSubstr("hunter")));
}

TEST_P(Drift, OfTheSubnetIsTheClasssAndNotTheClusters) {
  const char* const kOther =
      "/subscriptions/s/resourceGroups/other/providers/Microsoft.Network/virtualNetworks/v2/subnets/n2";
  after.settings["vnet-subnet-id"] = kOther;
  EXPECT_FALSE(report().drifted());
  EXPECT_NE(find(report(), "subnetID"), nullptr);
  after = with_bootstrap();
  before.settings["vnet-subnet-id"] = after.settings["vnet-subnet-id"] = std::string(kOther) + "-cluster";
  after.node_class["spec"]["vnetSubnetID"] = kOther;
  EXPECT_EQ(report().reason(), "NodeClassDrift");
  EXPECT_EQ(find(report(), "subnetID")->action, DriftAction::kReplace);
}

TEST_P(Drift, NeverComesOfSettingsThatOnlyNewNodesGet) {
  after.settings["ssh-public-key"] = "ssh-rsa BBBB test";
  after.settings["network-policy"] = "calico";
  after.settings["dns-service-ip"] = "10.1.0.10";
  after.settings["node-osdisk-diskencryptionset-id"] =
      "/subscriptions/s/resourceGroups/r/providers/Microsoft.Compute/diskEncryptionSets/d";
  const DriftReport found = report();
  EXPECT_FALSE(found.drifted());
  EXPECT_EQ(found.reason(), "");
  for (const char* field : {"sshPublicKey", "osDisk.diskEncryptionSetID", "kubeletFlags.--cluster-dns"}) {
    ASSERT_NE(find(found, field), nullptr) << field;
    EXPECT_EQ(find(found, field)->reason, "NextNode");
  }
  EXPECT_THAT(drift_text(found), HasSubstr("no drift: running nodes are not changed"));
}

json in(const char* key, std::vector<std::string> values) {
  return {{"key", key}, {"operator", "In"}, {"values", std::move(values)}};
}

// A change of what a pool allows is not a reason to replace a node that is still allowed.
TEST_P(Drift, OfCapacityTypeZoneAndSizeIsForRequirementsThatNoLongerAllowThem) {
  auto& requirements = after.pool["spec"]["template"]["spec"]["requirements"];
  after.size = "Standard_D4s_v5";
  requirements = {in("karpenter.sh/capacity-type", {"spot", "on-demand"}),
                  in("node.kubernetes.io/instance-type", {"Standard_D4s_v5", "Standard_D2s_v5"})};
  EXPECT_FALSE(report().drifted());
  EXPECT_EQ(find(report(), "capacityType")->is, "spot");
  EXPECT_EQ(find(report(), "vmSize")->is, "Standard_D4s_v5");
  requirements = json::array({in("karpenter.sh/capacity-type", {"spot"})});
  EXPECT_EQ(report().reason(), "RequirementsDrifted");
  EXPECT_EQ(find(report(), "capacityType")->action, DriftAction::kReplace);
  requirements = json::array({in("node.kubernetes.io/instance-type", {"Standard_D4s_v5"})});
  EXPECT_EQ(report().reason(), "RequirementsDrifted");
  before.pool["spec"]["template"]["spec"]["requirements"] =
      json::array({in("topology.kubernetes.io/zone", {"eastus-1"})});
  after.size = before.size;
  requirements = json::array({in("topology.kubernetes.io/zone", {"eastus-2"})});
  EXPECT_EQ(report().reason(), "RequirementsDrifted");
  EXPECT_EQ(find(report(), "zone")->reason, "RequirementsDrifted");
}

TEST_P(Drift, OfALabelThatARequirementAsksForIsTheRequirements) {
  before.pool["spec"]["template"]["spec"]["requirements"] = json::array({in("example.com/tier", {"a"})});
  after.pool["spec"]["template"]["spec"]["requirements"] = json::array({in("example.com/tier", {"b"})});
  EXPECT_EQ(report().reason(), "RequirementsDrifted");
}

TEST(DriftBetween, GenerationsOfImagesIsNone) {
  CheckedNode before;
  before.node_class["spec"]["kubelet"] = {{"cpuManagerPolicy", "static"}};
  CheckedNode after = before;
  after.bootstrap = Bootstrap::kNodeConfig;
  for (const auto& [was, is] : {std::pair{before, after}, std::pair{after, before}}) {
    const auto compared = compare_drift(template_of(was), template_of(is));
    ASSERT_TRUE(compared);
    EXPECT_FALSE(compared->drifted()) << drift_text(*compared);
    EXPECT_NE(find(*compared, "bootstrap"), nullptr);
    EXPECT_EQ(find(*compared, "kubeletFlags.--max-pods"), nullptr);
  }
}

json live_node(const json& made) {
  return {
      {"kind", "List"},
      {"items",
       {{{"kind", "Node"},
         {"metadata", {{"labels", {{"kubernetes.io/hostname", "aks-default"}, {"kubernetes.azure.com/mode", "user"}}}}},
         {"status", {{"nodeInfo", {{"kubeletVersion", "v1.33.1"}}}}}},
        {{"kind", "NodeClaim"},
         {"metadata",
          {{"annotations",
            {{"karpenter.azure.com/aksnodeclass-hash", made["hashes"]["nodeClass"]},
             {"karpenter.azure.com/aksnodeclass-hash-version", "v3"}}}}},
         {"status", {{"imageID", made["image"]["id"]}}}}}}};
}

TEST_P(Drift, ComparesALiveNodeByWhatItShows) {
  const json made = template_of(after);
  json live = live_node(made);
  EXPECT_FALSE(compare_drift(live, made)->drifted());
  EXPECT_FALSE(compare_drift(made, live)->drifted());

  live["items"][0]["status"]["nodeInfo"]["kubeletVersion"] = "v1.32.9";
  EXPECT_EQ(compare_drift(live, made)->reason(), "K8sVersionDrift");
  EXPECT_EQ(compare_drift(made, live)->fields[0].was, "1.32.9");
}

TEST_P(Drift, LeavesANodeAloneThatIsBeingDeleted) {
  const json made = template_of(after);
  json live = live_node(made);
  live["items"][0]["status"]["nodeInfo"]["kubeletVersion"] = "v1.32.9";
  live["items"][0]["metadata"]["deletionTimestamp"] = "2026-01-01T00:00:00Z";
  const auto compared = compare_drift(live, made);
  EXPECT_FALSE(compared->drifted());
  EXPECT_THAT(drift_text(*compared), HasSubstr("being deleted"));
}

TEST_P(Drift, OfALiveNodesTagsShowsInTheHashOfItsClaim) {
  const json made = template_of(after);
  json live = live_node(made);
  json& annotations = live["items"][1]["metadata"]["annotations"];
  annotations["karpenter.azure.com/in-place-update-hash"] = made["hashes"]["inPlaceUpdate"];
  EXPECT_FALSE(compare_drift(live, made)->drifted());
  annotations["karpenter.azure.com/in-place-update-hash"] = "1";
  EXPECT_EQ(compare_drift(live, made)->reason(), "InPlaceUpdate");
  EXPECT_FALSE(compare_drift(live, made)->needs_new_node());
}

TEST_P(Drift, LetsALiveNodeBeAnythingThatItsPoolAllows) {
  after.pool["spec"]["template"]["spec"]["requirements"] =
      json::array({in("node.kubernetes.io/instance-type", {"Standard_D2s_v5", "Standard_D4s_v5"})});
  const json made = template_of(after);
  json live = live_node(made);
  live["items"][0]["metadata"]["labels"]["node.kubernetes.io/instance-type"] = "Standard_D4s_v5";
  EXPECT_THAT(compare_drift(live, made)->fields, IsEmpty());
  live["items"][0]["metadata"]["labels"]["node.kubernetes.io/instance-type"] = "Standard_D8s_v5";
  EXPECT_EQ(compare_drift(live, made)->reason(), "RequirementsDrifted");
}

TEST_P(Drift, DoesNotCompareHashesOfDifferentVersions) {
  const json made = template_of(after);
  json live = live_node(made);
  live["items"][1]["metadata"]["annotations"]["karpenter.azure.com/aksnodeclass-hash"] = "1";
  EXPECT_EQ(compare_drift(live, made)->reason(), "NodeClassDrift");
  live["items"][1]["metadata"]["annotations"]["karpenter.azure.com/aksnodeclass-hash-version"] = "v2";
  EXPECT_FALSE(compare_drift(live, made)->drifted());
}

TEST(DriftState, ReadsAssignmentsInAnyQuotes) {
  const auto variables =
      script_variables("A=1\nB=\"x \\\"y\\\" \\$z\nnext\"\nC='it'\\''s'\nD=\nnot an assignment\nE=5");
  EXPECT_EQ(variables.at("A"), "1");
  EXPECT_EQ(variables.at("B"), "x \"y\" $z\nnext");
  EXPECT_EQ(variables.at("C"), "it's");
  EXPECT_EQ(variables.at("D"), "");
  EXPECT_EQ(variables.at("E"), "5");
  EXPECT_EQ(variables.size(), 5u);
}

TEST_P(Drift, SecondIsToBeALaunchTemplate) {
  const auto refused = compare_drift(template_of(before), json{{"kind", "Pod"}});
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().what, HasSubstr("the second"));
  EXPECT_EQ(refused.error().hint, "give the current launch template, as `sunup resolve` prints it");
}

TEST(DriftState, RefusesWhatIsNotAboutANode) {
  EXPECT_THAT(compare_drift(json{{"kind", "Pod"}}, json::object()).error().what, HasSubstr("cannot compare a Pod"));
}

TEST_P(Drift, IsAskedOfOneNodeAndRefusedOfSeveral) {
  const json made = template_of(after);
  for (const int doubled : {0, 1}) {
    json live = live_node(made);
    live["items"][doubled]["metadata"]["name"] = "first";
    json second = live["items"][doubled];
    second["metadata"]["name"] = "second";
    live["items"].push_back(second);
    const auto refused = compare_drift(live, made);
    ASSERT_FALSE(refused);
    EXPECT_THAT(refused.error().what, HasSubstr("(first, second); drift compares one node"));
  }
}

TEST_P(Drift, DoesNotMixANodeWithAnothersClaim) {
  const json made = template_of(after);
  json live = live_node(made);
  live["items"][0]["metadata"]["name"] = "one";
  live["items"][1]["status"]["nodeName"] = "one";
  EXPECT_TRUE(compare_drift(live, made));
  live["items"][1]["status"]["nodeName"] = "two";
  EXPECT_THAT(compare_drift(live, made).error().what, HasSubstr("the Node one and the NodeClaim of another node, two"));
}

TEST(ImageDrift, ComparesIdsInAnyLetterCase) {
  EXPECT_TRUE(of_one_release("/CommunityGalleries/g/Images/2204gen2containerd/Versions/202601.01.0",
                             "/communitygalleries/g/images/2204gen2arm64containerd/versions/202601.01.0"));
  EXPECT_FALSE(of_one_release("/g/images/2204gen2containerd", "/g/images/2204gen2containerd"));
}

}  // namespace
}  // namespace sunup::fleet

#include "fleet/drift.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fleet/drift_state.h"
#include "fleet/launch_template.h"
#include "fleet/test_node.h"

namespace sunup::fleet {
namespace {

using nlohmann::json;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

json template_of(TestNode test) {
  const Resolution node = test.resolve();
  const auto made = make_launch_template(node);
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
  TestNode before = with_bootstrap();
  TestNode after = with_bootstrap();

  static TestNode with_bootstrap() {
    TestNode test;
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
  EXPECT_NE(
      find(found, GetParam() == Bootstrap::kScriptless ? "kubeletFlags.--max-pods"
                                                       : "nodeConfig.kubelet_config.kubelet_flags[\"--max-pods\"]"),
      nullptr);
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

TEST_P(Drift, OfTheTokenIsSeenNeverShownAndChangesNoNode) {
  after.settings["kubelet-bootstrap-token"] = "fedcba.fedcba9876543210";
  const DriftReport found = report();
  EXPECT_TRUE(found.drifted());
  EXPECT_FALSE(found.needs_new_node());
  EXPECT_THAT(drift_json(found).dump(), Not(HasSubstr("0123456789abcdef")));
  EXPECT_THAT(drift_text(found), Not(HasSubstr("fedcba")));
}

TEST_P(Drift, OfLabelsAndTaintsIsTheNodePools) {
  after.pool["spec"]["template"]["metadata"]["labels"] = {{"team", "web"}};
  EXPECT_EQ(report().reason(), "NodePoolDrift");
}

TEST_P(Drift, OfTheImageNeedsANewNode) {
  json is = template_of(after);
  is["image"]["id"] = "/CommunityGalleries/g/images/2204gen2containerd/versions/202609.01.0";
  const auto found = compare_drift(template_of(before), is);
  EXPECT_EQ(found->reason(), "ImageDrift");
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

TEST(DriftState, RefusesWhatIsNotAboutANode) {
  EXPECT_THAT(compare_drift(json{{"kind", "Pod"}}, json::object()).error().what, HasSubstr("cannot compare a Pod"));
}

}  // namespace
}  // namespace sunup::fleet

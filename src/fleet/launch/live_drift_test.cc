// Compares a live node, by its labels and its image, with the current template.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fleet/launch/drift.h"
#include "fleet/launch/test_launch.h"

namespace sunup::fleet {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

json today(CheckedNode test) {
  return TestLaunch(std::move(test)).to_json();
}

void require(CheckedNode& test, const char* key, std::vector<std::string> values) {
  test.pool["spec"]["template"]["spec"]["requirements"].push_back(
      {{"key", key}, {"operator", "In"}, {"values", values}});
}

json live(const json& labels, const std::string& image = "") {
  json claim = {{"kind", "NodeClaim"}, {"metadata", {{"name", "a"}, {"labels", labels}}}};
  if (!image.empty()) claim["status"]["imageID"] = image;
  return claim;
}

TEST(LiveDrift, IsNoneOfAnImageForAnotherArchitectureOfTheSameRelease) {
  CheckedNode test;
  const json now = today(test);
  std::string image = now["image"]["id"];
  const size_t at = image.find("2204gen2containerd");
  ASSERT_NE(at, std::string::npos) << image;
  const std::string arm = std::string(image).replace(at, sizeof("2204gen2containerd") - 1, "2204gen2arm64containerd");
  const json labels = {{"kubernetes.io/arch", "arm64"}};
  EXPECT_EQ(compare_drift(live(labels, arm), now)->reason(), "");
  std::string older = arm;
  older.replace(older.rfind('/') + 1, std::string::npos, "202401.01.0");
  EXPECT_EQ(compare_drift(live(labels, older), now)->reason(), "ImageDrift");
}

TEST(ImageRelease, IsOfOneGalleryFamilyKindAndVersion) {
  const std::string base = "/CommunityGalleries/g/images/";
  EXPECT_TRUE(of_one_release(base + "2204gen2containerd/versions/1.2.3", base + "2204containerd/versions/1.2.3"));
  EXPECT_FALSE(
      of_one_release(base + "2204gen2containerd/versions/1.2.3", base + "2204gen2TLcontainerd/versions/1.2.3"));
  EXPECT_FALSE(of_one_release(base + "2204gen2containerd/versions/1.2.3", base + "2404gen2containerd/versions/1.2.3"));
  EXPECT_FALSE(of_one_release(base + "2204gen2containerd/versions/1.2.3", base + "2204containerd/versions/1.2.4"));
  EXPECT_FALSE(of_one_release(base + "2204containerd/versions/1.2.3",
                              "/CommunityGalleries/h/images/2204gen2containerd/versions/1.2.3"));
}

TEST(LiveDrift, IsOfARequirementThatTheNodeHasNoLabelFor) {
  CheckedNode test;
  require(test, "tier", {"gold"});
  const json now = today(test);
  const json claim = live({{"team", "web"}});
  const json node = {{"kind", "Node"}, {"metadata", {{"name", "n"}, {"labels", {{"team", "web"}}}}}};
  for (const json& was : {claim, json{{"items", {node, claim}}}}) {
    const auto report = compare_drift(was, now);
    ASSERT_TRUE(report) << report.error().what;
    EXPECT_EQ(report->reason(), "RequirementsDrifted") << was.dump();
    EXPECT_THAT(drift_text(*report), HasSubstr("requirements.tier"));
  }
  EXPECT_EQ(compare_drift(live({{"tier", "gold"}}), now)->reason(), "");
}

TEST(LiveDrift, IsOfAClaimAloneWhoseSizeIsNoLongerAllowed) {
  CheckedNode test;
  require(test, "node.kubernetes.io/instance-type", {"Standard_D2s_v5"});
  const json now = today(test);
  EXPECT_EQ(compare_drift(live({{"node.kubernetes.io/instance-type", "Standard_D64s_v5"}}), now)->reason(),
            "RequirementsDrifted");
  EXPECT_EQ(compare_drift(live({{"node.kubernetes.io/instance-type", "Standard_D2s_v5"}}), now)->reason(), "");
}

TEST(LiveDrift, IsNoneOfALabelThatEveryNodeHasAndThisOneDoesNotShow) {
  CheckedNode test;
  require(test, "kubernetes.io/os", {"linux"});
  EXPECT_EQ(compare_drift(live({{"team", "web"}}), today(test))->reason(), "");
}

json node_class(const char* images_ready, const char* version_ready) {
  const auto condition = [](const char* type, const char* status) { return json{{"type", type}, {"status", status}}; };
  return {
      {"kind", "AKSNodeClass"},
      {"metadata", {{"name", "default"}}},
      {"status",
       {{"conditions", {condition("ImagesReady", images_ready), condition("KubernetesVersionReady", version_ready)}}}}};
}

// A controller compares neither the image nor the version while the class does not know the right ones.
TEST(LiveDrift, IsNotJudgedByWhatTheClassDoesNotKnow) {
  const json now = today(CheckedNode());
  const json claim = live({{"team", "web"}}, "/CommunityGalleries/g/images/2204gen2containerd/versions/202401.01.0");
  const json node = {{"kind", "Node"},
                     {"metadata", {{"name", "n"}, {"labels", {{"team", "web"}}}}},
                     {"status", {{"nodeInfo", {{"kubeletVersion", "v1.30.0"}}}}}};
  const auto reason = [&](const char* images, const char* version) {
    return std::string(compare_drift({{"items", {node, claim, node_class(images, version)}}}, now)->reason());
  };
  EXPECT_EQ(reason("True", "True"), "K8sVersionDrift");
  EXPECT_EQ(reason("True", "False"), "ImageDrift");
  EXPECT_EQ(reason("False", "True"), "K8sVersionDrift");
  EXPECT_EQ(reason("False", "Unknown"), "");
  EXPECT_THAT(drift_text(*compare_drift({{"items", {node, claim, node_class("False", "True")}}}, now)),
              HasSubstr("not judged: the image: ImagesReady of the AKSNodeClass is not True"));
}

TEST(LiveDrift, IsOfTheClusterIfAksSaysSoOfItsMachine) {
  const json now = today(CheckedNode());
  const auto machine = [](const json& status) {
    return json{{"type", "Microsoft.ContainerService/managedClusters/agentPools/machines"},
                {"properties", {{"status", status}}}};
  };
  const auto reason = [&](const json& status) {
    return std::string(
        compare_drift({{"items", {live({{"team", "web"}}, now["image"]["id"]), machine(status)}}}, now)->reason());
  };
  EXPECT_EQ(reason({{"driftAction", "Synced"}}), "");
  EXPECT_EQ(reason(json::object()), "");
  EXPECT_EQ(reason({{"driftAction", "Recreate"}, {"driftReason", "ClusterConfigurationChanged"}}),
            "ClusterConfigDrift");
  EXPECT_EQ(reason({{"driftAction", "SomethingNew"}}), "ClusterConfigDrift");
}

TEST(InPlacePatch, HasAllTagsAndTheNewIdentities) {
  CheckedNode before;
  before.node_class["spec"]["tags"] = {{"team", "a"}};
  CheckedNode after = before;
  after.node_class["spec"]["tags"] = {{"team", "b"}};
  const std::string id =
      "/subscriptions/s/resourceGroups/g/providers/Microsoft.ManagedIdentity/userAssignedIdentities/i";
  after.settings["node-identities"] = id;
  const auto report = compare_drift(today(before), today(after));
  ASSERT_TRUE(report);
  EXPECT_EQ(report->patch["tags"], today(after)["tags"]);
  EXPECT_EQ(report->patch["identity"]["type"], "UserAssigned");
  EXPECT_TRUE(report->patch["identity"]["userAssignedIdentities"].contains(id));
  // A request cannot remove an identity, and correct tags are not sent.
  const auto removed = compare_drift(today(after), [&] {
    CheckedNode test = after;
    test.settings.erase("node-identities");
    return today(test);
  }());
  EXPECT_TRUE(removed->patch.is_null());
  EXPECT_TRUE(compare_drift(today(before), today(before))->patch.is_null());
}

// A claim whose VM has other tags than the template.
json claim_to_update(const json& now) {
  json claim = live({{"team", "web"}}, now["image"]["id"]);
  claim["metadata"]["annotations"]["karpenter.azure.com/in-place-update-hash"] = "1";
  return claim;
}

TEST(InPlacePatch, OfAnAksMachineKeepsTheTagsThatAreAboutTheMachine) {
  CheckedNode node;
  node.settings["node-identities"] = "/subscriptions/s/resourceGroups/g/providers/m/userAssignedIdentities/i";
  const json now = today(node);
  json machine = {{"type", "Microsoft.ContainerService/managedClusters/agentPools/machines"},
                  {"properties",
                   {{"tags",
                     {{"old", "x"},
                      {"karpenter.azure.com_aksmachine_nodeclaim", "default-x7k2p"},
                      {"karpenter.azure.com_aksmachine_creationtimestamp", "2026-01-02T03:04:05Z"}}}}}};
  json wanted = now["tags"];
  for (const char* kept :
       {"karpenter.azure.com_aksmachine_nodeclaim", "karpenter.azure.com_aksmachine_creationtimestamp"})
    wanted[kept] = machine["properties"]["tags"][kept];
  const auto patch = [&] {
    return compare_drift({{"kind", "List"}, {"items", {claim_to_update(now), machine}}}, now)->patch;
  };
  EXPECT_EQ(json(patch()), json({{"properties", {{"tags", wanted}}}}));
  machine["properties"]["tags"] = wanted;
  EXPECT_TRUE(patch().is_null());
}

TEST(InPlacePatch, WaitsUntilTheNodeHasRegistered) {
  const json now = today(CheckedNode());
  json claim = claim_to_update(now);
  claim["status"]["conditions"] = {{{"type", "Launched"}, {"status", "True"}},
                                   {{"type", "Registered"}, {"status", "Unknown"}}};
  const auto waiting = compare_drift(claim, now);
  EXPECT_TRUE(waiting->patch.is_null());
  EXPECT_EQ(waiting->reason(), "");
  EXPECT_EQ(waiting->not_judged.size(), 1u);
  claim["status"]["conditions"][1]["status"] = "True";
  EXPECT_EQ(compare_drift(claim, now)->reason(), "InPlaceUpdate");
}

TEST(InPlacePatch, IsWholeForALiveNodeWhoseHashDiffers) {
  const json now = today(CheckedNode());
  const json claim = claim_to_update(now);
  const auto report = compare_drift(claim, now);
  EXPECT_EQ(report->reason(), "InPlaceUpdate");
  EXPECT_EQ(report->patch["tags"], now["tags"]);
}

}  // namespace
}  // namespace sunup::fleet

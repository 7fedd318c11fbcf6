// Fields of an AKSNodeClass that change the image, the version or the disk of a node: their effect on the launch
// template, and the effect of a change on running nodes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/base64.h"
#include "contract/check.h"
#include "fleet/launch/azure_request.h"
#include "fleet/launch/drift.h"
#include "fleet/launch/explain.h"
#include "fleet/launch/test_launch.h"

namespace sunup::fleet {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::StartsWith;

CheckedNode class_with(const char* spec) {
  CheckedNode test;
  test.node_class["spec"] = json::parse(spec);
  return test;
}

CheckedNode container_linux() {
  CheckedNode test =
      class_with(R"({"imageFamily": "AzureContainerLinux", "security": {"trustedLaunch": {"vtpm": true}}})");
  test.settings["kubernetes-version"] = "1.34.2";
  test.bootstrap = Bootstrap::kNodeConfig;
  return test;
}

std::string class_errors(const char* spec) {
  Findings findings;
  read_node_class({class_with(spec).node_class, {}, ""}, findings);
  return describe(findings, Severity::kError);
}

CheckedNode with_local_disk() {
  CheckedNode test;
  test.type = known_instance_type("Standard_D4ds_v5");
  test.type->ephemeral_os_disk = true;
  test.type->cache_disk_bytes = 200 * int64_t{1000000000};
  return test;
}

TEST(ManagedOsDisk, IsUsedWhereALocalOneWouldFit) {
  CheckedNode test = with_local_disk();
  EXPECT_EQ(TestLaunch(test).to_json()["osDisk"]["type"], "Ephemeral");
  test.node_class["spec"]["osDiskType"] = "Managed";
  const TestLaunch managed(test);
  EXPECT_EQ(managed.to_json()["osDisk"]["type"], "ManagedDisks");
  const json machine = virtual_machine_request(managed.node, managed.made)["virtualMachine"];
  EXPECT_FALSE(machine["properties"]["storageProfile"]["osDisk"].contains("diffDiskSettings"));
  EXPECT_THAT(explain_text(explain(managed.node), 0), HasSubstr("nodeclass (spec.osDiskType)"));
  EXPECT_THAT(class_errors(R"({"osDiskType": "Ephemeral"})"), HasSubstr("spec.osDiskType: is 'Ephemeral', must be"));
}

TEST(ManagedOsDisk, IsDriftOfTheClass) {
  CheckedNode before = with_local_disk();
  CheckedNode after = before;
  after.node_class["spec"]["osDiskType"] = "Managed";
  EXPECT_EQ(compare_drift(TestLaunch(before).to_json(), TestLaunch(after).to_json())->reason(), "NodeClassDrift");
}

TEST(AzureContainerLinux, GetsIgnitionAndItsOwnLabels) {
  const TestLaunch made(container_linux());
  EXPECT_THAT(made.node.kind->image.id, HasSubstr("/images/aclgen2TL/versions/"));
  EXPECT_EQ(*made.node.labels.find("kubernetes.azure.com/os-sku"), "AzureContainerLinux");
  const auto data = base64_decode(made.made.custom_data);
  ASSERT_TRUE(data);
  EXPECT_THAT(*data, StartsWith("{\"ignition\":"));
}

TEST(AzureContainerLinux, NeedsWhatItsImagesNeed) {
  EXPECT_THAT(class_errors(R"({"imageFamily": "AzureContainerLinux"})"), HasSubstr("needs trusted launch"));
  EXPECT_THAT(class_errors(R"({"imageFamily": "AzureContainerLinux", "osDiskSizeGB": 50,
                               "security": {"trustedLaunch": {"vtpm": true}}})"),
              HasSubstr("spec.osDiskSizeGB: AzureContainerLinux needs an osDiskSizeGB of at least 60"));
  EXPECT_EQ(class_errors(R"({"imageFamily": "AzureContainerLinux", "fipsMode": "FIPS",
                             "security": {"trustedLaunch": {"vtpm": true}}})"),
            "");
  CheckedNode old = container_linux();
  old.settings["kubernetes-version"] = "1.33.1";
  EXPECT_THAT(old.try_resolve().error().what, HasSubstr("needs Kubernetes 1.34, but the version is 1.33.1"));
  CheckedNode script = container_linux();
  script.bootstrap = Bootstrap::kScriptless;
  EXPECT_THAT(script.try_resolve().error().what, HasSubstr("do not run a script from custom data"));
}

TEST(Ubuntu2604, IsAFamilyOfItsOwn) {
  CheckedNode test = class_with(R"({"imageFamily": "Ubuntu2604"})");
  test.settings["kubernetes-version"] = "1.36.2";
  const TestLaunch made(test);
  EXPECT_THAT(made.node.kind->image.id, HasSubstr("/images/2604minimalgen2containerd/versions/"));
  EXPECT_EQ(*made.node.labels.find("kubernetes.azure.com/os-sku-effective"), "Ubuntu2604");
  EXPECT_THAT(class_errors(R"({"imageFamily": "Ubuntu2604", "fipsMode": "FIPS"})"), HasSubstr("FIPS is not supported"));
}

// Kubelet starts with the flags only if it knows the cgroups; config check verifies this.
TEST(NodeHardening, GivesAConfigThatNodesAccept) {
  CheckedNode test;
  test.bootstrap = Bootstrap::kNodeConfig;
  test.settings["enable-node-hardening"] = true;
  const TestLaunch made(test);
  for (const Finding& finding : contract::check(node_config(made.node)))
    EXPECT_NE(finding.severity, Severity::kError) << finding.path << " " << finding.message;
  CheckedNode before = test;
  before.settings.erase("enable-node-hardening");
  // An option of the cluster is not drift: only the next node gets it.
  EXPECT_EQ(compare_drift(TestLaunch(before).to_json(), made.to_json())->reason(), "");
}

// A family that the table of GPU sizes does not list does not support a GPU just because Ubuntu does.
TEST(GpuSizes, AreJudgedByTheFamilyItself) {
  const InstanceType gpu = *known_instance_type("Standard_NC24ads_A100_v4");
  CheckedNode ubuntu;
  ubuntu.node_class["spec"]["imageFamily"] = "Ubuntu2404";
  EXPECT_TRUE(ubuntu.try_choose({gpu}));
  EXPECT_THAT(container_linux().try_choose({gpu}).error().what,
              HasSubstr("has a GPU that AzureContainerLinux images do not support"));
}

CheckedNode pinned(const char* kubernetes, const char* image) {
  CheckedNode test;
  test.settings["kubernetes-version"] = "1.33.1";
  test.node_class["spec"]["versions"] = {{"kubernetesVersion", kubernetes}};
  if (image != nullptr) test.node_class["spec"]["versions"]["nodeImageVersion"] = image;
  return test;
}

TEST(PinnedVersions, AreThoseOfTheNode) {
  const TestLaunch made(pinned("1.32.5", "202601.15.0"));
  EXPECT_EQ(made.to_json()["kubernetesVersion"], "1.32.5");
  EXPECT_THAT(made.node.kind->image.id, HasSubstr("/versions/202601.15.0"));
  EXPECT_THAT(explain_text(explain(made.node), 0), HasSubstr("nodeclass (spec.versions.nodeImageVersion)"));
  EXPECT_EQ(TestLaunch(pinned("1.33.0", nullptr)).to_json()["image"]["version"], "202608.14.0");
}

TEST(PinnedVersions, FitTheControlPlane) {
  const auto error = [](const char* version) { return pinned(version, nullptr).try_resolve().error().what; };
  EXPECT_THAT(error("1.33.2"), HasSubstr("1.33.2 is newer than the control plane's 1.33.1"));
  EXPECT_THAT(error("1.34.0"), HasSubstr("is newer than"));
  EXPECT_THAT(error("1.29.9"), HasSubstr("is more than three minor versions older than"));
  EXPECT_TRUE(pinned("1.30.0", nullptr).try_resolve());
  EXPECT_THAT(class_errors(R"({"versions": {"nodeImageVersion": "202601.15.0"}})"),
              HasSubstr("spec.versions.nodeImageVersion: nodeImageVersion needs kubernetesVersion"));
  for (const char* bad :
       {R"({"versions": {"kubernetesVersion": "1.33"}})", R"({"versions": {"kubernetesVersion": "v1.33.1"}})"})
    EXPECT_THAT(class_errors(bad), HasSubstr("spec.versions.kubernetesVersion")) << bad;
}

TEST(PinnedVersions, AreOnesThatTheClassHasUsed) {
  const auto with_status = [](const char* image) {
    CheckedNode test = pinned("1.33.1", image);
    test.node_class["status"] = json::parse(R"({
      "images": [{"id": "/CommunityGalleries/g/images/2204gen2containerd/versions/202608.14.0"}],
      "versions": {"controlPlaneKubernetesVersion": "1.33.1", "latestImageVersion": "202608.20.0",
                   "recentlyUsedVersions": [{"imageVersion": "202607.01.0", "kubernetesVersion": "1.33.1"},
                                            {"imageVersion": "202606.01.0", "kubernetesVersion": "1.32.0"}]}})");
    return test;
  };
  for (const char* used : {"202608.14.0", "202608.20.0", "202607.01.0"}) {
    CheckedNode test = with_status(used);
    EXPECT_THAT(test.resolve().kind->image.id, HasSubstr(std::string("/versions/") + used));
  }
  EXPECT_THAT(with_status("202606.01.0").try_resolve().error().what,
              HasSubstr("was used with Kubernetes 1.32.0, not with 1.33.1 (RollbackTargetKubernetesVersionMismatch)"));
  EXPECT_THAT(with_status("202501.01.0").try_resolve().error().what, HasSubstr("(NodeImageVersionInvalid)"));
}

// The pin is not part of the class's hash; nodes drift by the image and the version themselves.
TEST(PinnedVersions, DriftAsImageOrVersion) {
  const json before = TestLaunch(pinned("1.33.1", nullptr)).to_json();
  EXPECT_EQ(compare_drift(before, TestLaunch(pinned("1.33.1", "202601.15.0")).to_json())->reason(), "ImageDrift");
  EXPECT_EQ(compare_drift(before, TestLaunch(pinned("1.32.5", nullptr)).to_json())->reason(), "K8sVersionDrift");
}

}  // namespace
}  // namespace sunup::fleet

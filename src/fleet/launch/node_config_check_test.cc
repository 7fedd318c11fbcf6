// Nodes on which kubelet would not start or whose VM cannot be created, although every source by itself is valid.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fleet/launch/test_launch.h"
#include "fleet/resolve/kubelet_flags.h"
#include "fleet/resolve/node_reserve.h"
#include "fleet/sources/cluster_version.h"

namespace sunup::fleet {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

CheckedNode with_class(const char* kubelet) {
  CheckedNode test;
  test.node_class["spec"]["kubelet"] = json::parse(kubelet);
  return test;
}

CheckedNode with_pool(const char* kubelet) {
  CheckedNode test;
  test.pool["apiVersion"] = "karpenter.sh/v1beta1";
  test.pool["spec"]["template"]["spec"]["kubelet"] = json::parse(kubelet);
  return test;
}

CheckedNode with_config(const json& spec = json::object()) {
  CheckedNode test;
  test.bootstrap = Bootstrap::kNodeConfig;
  test.settings["network-policy"] = "calico";
  test.node_class["spec"] = spec;
  return test;
}

std::string refusal(CheckedNode test) {
  const auto resolved = test.try_resolve();
  return resolved ? "" : resolved.error().what;
}

TEST(ImpossibleNode, HasAHighThresholdThatIsNotAboveTheLowOneWhoeverSetThem) {
  EXPECT_THAT(refusal(with_class(R"({"imageGCHighThresholdPercent": 70})")),
              AllOf(HasSubstr("--image-gc-high-threshold 70 from nodeclass (spec.kubelet.imageGCHighThresholdPercent)"),
                    HasSubstr("--image-gc-low-threshold 80 from hardcoded")));
  EXPECT_THAT(refusal(with_class(R"({"imageGCLowThresholdPercent": 90})")), HasSubstr("--image-gc-high-threshold 85"));
  EXPECT_THAT(refusal(with_pool(R"({"imageGCLowThresholdPercent": 85})")), HasSubstr("from nodepool"));
  EXPECT_EQ(refusal(with_class(R"({"imageGCHighThresholdPercent": 81})")), "");
  EXPECT_EQ(refusal(with_class(R"({"imageGCHighThresholdPercent": 70, "imageGCLowThresholdPercent": 60})")), "");
}

TEST(ImpossibleNode, RunsMorePodsThanAnyCan) {
  EXPECT_THAT(refusal(with_pool(R"({"maxPods": 2147483647})")),
              HasSubstr("--max-pods 2147483647 from nodepool (kubelet.maxPods) is more than the 250 pods"));
  EXPECT_EQ(refusal(with_pool(R"({"maxPods": 250})")), "");
}

TEST(ImpossibleNode, KeepsMoreFromItsPodsThanItHas) {
  EXPECT_THAT(refusal(with_pool(R"({"kubeReserved": {"cpu": 64}})")),
              HasSubstr("Standard_D2s_v5 would reserve 64 of cpu"));
  EXPECT_THAT(refusal(with_pool(R"({"systemReserved": {"memory": "100Gi"}})")), HasSubstr("of memory (kubeReserved"));
  EXPECT_THAT(refusal(with_pool(R"({"kubeReserved": {"cpu": 1}, "systemReserved": {"cpu": "1001m"}})")),
              HasSubstr("would reserve 2001m of cpu"));
  EXPECT_THAT(refusal(with_pool(R"({"evictionHard": {"memory.available": "90%"}})")),
              HasSubstr("of memory (kubeReserved"));
  EXPECT_EQ(refusal(with_pool(R"({"kubeReserved": {"cpu": 1}, "systemReserved": {"cpu": 1}})")), "");
}

TEST(ImpossibleNode, IsNotOneThatOnlyAnEstimateRulesOut) {
  // Together with the 750Mi that stay free, this is less than the 8 GiB of the size but more than an overhead of 20 %
  // leaves.
  CheckedNode test = with_pool(R"({"kubeReserved": {"memory": "7Gi"}})");
  test.settings["vm-memory-overhead-percent"] = "0.2";
  EXPECT_EQ(refusal(test), "");
  test.requests = {{"memory", "1Mi"}};
  EXPECT_FALSE(test.try_choose({*known_instance_type("Standard_D2s_v5")}));  // the estimate is for the choice of a size
  EXPECT_THAT(refusal(with_pool(R"({"kubeReserved": {"memory": "7500Mi"}})")), HasSubstr("but has 8Gi"));
}

TEST(NodeReserve, OfALargerSizeIsFoundAmongThoseGiven) {
  CheckedNode test = with_pool(R"({"kubeReserved": {"cpu": 3}})");
  test.requests = {{"cpu", "500m"}};
  const auto chosen =
      test.try_choose({*known_instance_type("Standard_D2s_v5"), *known_instance_type("Standard_D4s_v5")});
  ASSERT_TRUE(chosen) << chosen.error().what;
  EXPECT_EQ(*chosen, "Standard_D4s_v5");
  // 3 of 4 vCPUs are reserved; with the default of 140m there would have been room for these.
  test.requests = {{"cpu", "1500m"}};
  EXPECT_FALSE(test.try_choose({*known_instance_type("Standard_D4s_v5")}));
}

TEST(NodeReserve, OfAResourceLeavesTheDefaultsOfOthers) {
  CheckedNode test = with_pool(R"({"kubeReserved": {"cpu": "1"}, "systemReserved": {"memory": "100Mi"},
                                "evictionHard": {"nodefs.available": "5%"}})");
  const Resolution node = test.resolve();
  EXPECT_EQ(*node.kubelet_flags.find("--kube-reserved"), "cpu=1,memory=1843Mi");
  EXPECT_EQ(*node.kubelet_flags.find("--system-reserved"), "cpu=0,memory=100Mi");
  EXPECT_EQ(*node.kubelet_flags.find("--eviction-hard"), "memory.available<750Mi,nodefs.available<5%");
}

TEST(NodeReserve, HoldsNoNegativeNumberInAnySpelling) {
  for (const char* kubelet :
       {R"({"kubeReserved": {"cpu": -1, "memory": -5}})", R"({"systemReserved": {"cpu": "-1"}})"}) {
    Findings findings;
    CheckedNode test = with_pool(kubelet);
    read_node_pool({test.pool, {}, ""}, findings);
    EXPECT_THAT(describe(findings, Severity::kError), HasSubstr("must not be negative")) << kubelet;
  }
  Findings findings;
  read_node_claim(
      {json::parse(R"({"metadata": {"name": "a"}, "spec": {"resources": {"requests": {"cpu": -5}}}})"), {}, ""},
      findings);
  EXPECT_THAT(describe(findings, Severity::kError), HasSubstr("spec.resources.requests.cpu: is -5"));
}

TEST(NodeReserve, OfALargeDiskDoesNotOverflow) {
  Findings findings;
  const json tmpl = json::parse(R"({"apiVersion": "karpenter.azure.com/v1alpha1", "kind": "NodeTemplate",
                                    "metadata": {"name": "a"}, "spec": {"osDiskSizeGB": 2147483647}})");
  EXPECT_FALSE(read_node_class({tmpl, {}, ""}, findings));
  EXPECT_THAT(describe(findings, Severity::kError), HasSubstr("spec.osDiskSizeGB: is 2147483647, must be 100..4095"));
  CheckedNode test;
  test.node_class["spec"]["osDiskSizeGB"] = 2048;
  test.requests = {{"ephemeral-storage", "2000Gi"}};
  EXPECT_TRUE(test.try_choose({*known_instance_type("Standard_D2s_v5")}));
}

TEST(NodeConfigCheck, RefusesWhatTheConfigsOwnRulesCallAnError) {
  EXPECT_EQ(refusal(with_config()), "");
  const auto setting = [](const char* name, const char* value) {
    CheckedNode test = with_config();
    test.settings[name] = value;
    return refusal(std::move(test));
  };
  EXPECT_THAT(setting("kubelet-bootstrap-token", "ABC.def"),
              AllOf(HasSubstr("(from settings: kubelet-bootstrap-token)"), HasSubstr("rule: bootstrap-token"),
                    Not(HasSubstr("ABC"))));
  EXPECT_THAT(setting("kubernetes-version", "2.0.0"), HasSubstr("(from settings: kubernetes-version)"));
  EXPECT_THAT(setting("kubernetes-version", "1.10.0"), HasSubstr("rule: kubernetes-version"));
  CheckedNode nowhere = with_config();
  nowhere.settings.erase("location");
  EXPECT_THAT(refusal(std::move(nowhere)), HasSubstr("$.cluster_config.location"));
}

TEST(NodeConfigCheck, SaysWhoSetTheFlagThatIsRefused) {
  EXPECT_THAT(
      refusal(with_config({{"kubelet", {{"allowedUnsafeSysctls", json::array({"vm.swappiness"})}}}})),
      HasSubstr(
          "is not a namespaced sysctl, so no pod can set it (from nodeclass: spec.kubelet.allowedUnsafeSysctls)"));
}

TEST(NodeConfigCheck, RefusesASwapFileThatIsNoneOrHasNoRoom) {
  const auto swap = [](const char* size) {
    return refusal(with_config({{"linuxOSConfig", {{"swapFileSize", size}}}, {"kubelet", {{"failSwapOn", false}}}}));
  };
  EXPECT_THAT(swap("1Ki"), HasSubstr("(from nodeclass: spec.linuxOSConfig)"));
  EXPECT_THAT(swap("9Ei"), HasSubstr("9Ei does not fit on the OS disk, which has 128 GB"));
  EXPECT_EQ(swap("2Gi"), "");
}

TEST(NodeConfigCheck, FindsNothingInNumbersThatMeanNone) {
  CheckedNode test = with_config({{"kubelet", {{"podPidsLimit", -5}, {"cpuCFSQuotaPeriod", "0s"}}}});
  const Resolution node = test.resolve();
  EXPECT_EQ(*node.kubelet_flags.find("--pod-max-pids"), "-1");
  EXPECT_EQ(node.kubelet_flags.find("--cpu-cfs-quota-period"), nullptr);
}

TEST(ClusterVersion, IsThreeNumbers) {
  for (const char* good : {"1.33.1", "v1.33.1", "1.34.0-alpha.1", "1.33.1+build"})
    EXPECT_TRUE(is_release_version(good));
  for (const char* bad : {"1.33", "1", "01.33.1", "1.033.1", "1.33.01", "1.33.1.1", "", "latest", "1.33.", "vv1.33.1"})
    EXPECT_FALSE(is_release_version(bad)) << bad;
  CheckedNode test;
  test.settings["kubernetes-version"] = "1.33";
  Findings findings;
  check_settings(read_settings({{test.settings, {}, ""}}, {}, findings), findings);
  EXPECT_THAT(describe(findings, Severity::kError), HasSubstr("must be the three numbers of a release"));
}

TEST(ClusterVersion, MovesUpWithTheClusterAndNeverDown) {
  CheckedNode test;
  test.settings.erase("kubernetes-version");
  test.node_class["status"] = {{"kubernetesVersion", "1.32.0"}};
  test.detected.kubernetes_version = "1.33.5";
  Resolution node = test.resolve();
  EXPECT_EQ(*node.kind->kubernetes_version, "1.33.5");
  EXPECT_THAT(describe(node.warnings, Severity::kWarning), HasSubstr("is 1.32.0, but the API server has 1.33.5"));
  test.detected.kubernetes_version = "1.31.9";
  node = test.resolve();
  EXPECT_EQ(*node.kind->kubernetes_version, "1.32.0");
  EXPECT_THAT(describe(node.warnings, Severity::kWarning), HasSubstr("is never lowered"));
}

TEST(ClusterVersion, ThatMovedUpBringsTheNewestImages) {
  CheckedNode test;
  test.settings.erase("kubernetes-version");
  test.node_class["spec"]["imageFamily"] = "Ubuntu2204";
  test.node_class["status"] = json::parse(R"({"kubernetesVersion": "1.32.0", "images": [
    {"id": "/CommunityGalleries/g/images/2204gen2containerd/versions/202401.01.0"}]})");
  EXPECT_EQ(test.resolve().kind->image.version, "202401.01.0");
  test.detected.kubernetes_version = "1.33.5";
  EXPECT_EQ(test.resolve().kind->image.version, "202608.14.0");
  test.settings["kubernetes-version"] = "1.32.0";  // the settings keep the version, so its image is kept, too
  const Resolution kept = test.resolve();
  EXPECT_EQ(kept.kind->image.version, "202401.01.0");
  EXPECT_THAT(describe(kept.warnings, Severity::kWarning), Not(HasSubstr("status.kubernetesVersion")));
}

TEST(ImpossibleNode, HasNoLocation) {
  CheckedNode test;
  test.settings["location"] = nullptr;
  EXPECT_THAT(describe(test.resolve().warnings, Severity::kWarning),
              HasSubstr("Azure does not create a VM without a location"));
}

TEST(Settings, WantAnEndpointWhoseHostIsOne) {
  CheckedNode test;
  test.settings["cluster-endpoint"] = "https://$(reboot)";
  test.settings["vm-memory-overhead-percent"] = "7.5";
  test.settings["kubelet-bootstrap-token"] = "ABC.def";
  Findings findings;
  check_settings(read_settings({{test.settings, {}, ""}}, {}, findings), findings);
  EXPECT_THAT(describe(findings, Severity::kError), HasSubstr("must be an absolute URL with a host"));
  EXPECT_THAT(describe(findings, Severity::kWarning),
              AllOf(HasSubstr("for 7.5 percent set 0.075"), HasSubstr("does not have the form id.secret")));
}

}  // namespace
}  // namespace sunup::fleet

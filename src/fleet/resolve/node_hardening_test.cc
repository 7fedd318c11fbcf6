#include "fleet/resolve/node_hardening.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fleet/resolve/node_reserve.h"
#include "fleet/resolve/test_node.h"

namespace sunup::fleet {
namespace {

using ::testing::HasSubstr;

constexpr int64_t kGib = 1024;

// The examples from AKS's own tests.
TEST(NodeHardening, ReservesThePublishedMemoryForKubernetes) {
  const auto reserved = [](int64_t gib, int pods) { return hardened_memory(gib * kGib, pods, false).kube_reserved; };
  EXPECT_EQ(reserved(7, 30), 1300);
  EXPECT_EQ(reserved(8, 110), 2048);  // a quarter of the memory
  EXPECT_EQ(reserved(32, 110), 4505);
  EXPECT_EQ(reserved(64, 110), 5160);
  EXPECT_EQ(reserved(128, 250), 11371);
}

TEST(NodeHardening, ReservesThePublishedMemoryForTheSystem) {
  const auto reserved = [](int64_t gib, bool azure) { return hardened_memory(gib * kGib, 30, azure).system_reserved; };
  EXPECT_EQ(reserved(7, false), 200);
  EXPECT_EQ(reserved(7, true), 300);
  EXPECT_EQ(reserved(32, false), 300);
  EXPECT_EQ(reserved(32, true), 400);
  EXPECT_EQ(reserved(64, false), 400);
  EXPECT_EQ(reserved(128, true), 700);
}

TEST(NodeHardening, EvictsAtThePublishedThresholds) {
  const auto thresholds = [](int64_t mib) {
    const HardenedMemory memory = hardened_memory(mib, 30, false);
    return std::pair(memory.evict_soft, memory.evict_hard);
  };
  EXPECT_EQ(thresholds(0), std::pair(int64_t{500}, int64_t{250}));
  EXPECT_EQ(thresholds(8 * kGib), std::pair(int64_t{500}, int64_t{250}));
  EXPECT_EQ(thresholds(8 * kGib + 1), std::pair(int64_t{750}, int64_t{375}));
  EXPECT_EQ(thresholds(32 * kGib - 1), std::pair(int64_t{750}, int64_t{375}));
  EXPECT_EQ(thresholds(32 * kGib), std::pair(int64_t{1024}, int64_t{512}));
}

TEST(NodeHardening, SetsAllFlagsOfANode) {
  TestNode test;
  test.settings["enable-node-hardening"] = "true";
  test.node_class["spec"]["maxPods"] = 30;
  const Resolution node = test.resolve();
  const auto flag = [&node](const char* name) {
    const std::string* value = node.kubelet_flags.find(name);
    return value == nullptr ? "(none)" : *value;
  };
  EXPECT_EQ(flag("--kube-reserved"), "cpu=100m,memory=1300Mi");  // 2 vCPUs, 8 GiB
  EXPECT_EQ(flag("--system-reserved"), "cpu=100m,ephemeral-storage=1Gi,memory=300Mi");
  EXPECT_EQ(flag("--eviction-hard"), "memory.available<250Mi,nodefs.available<10%,nodefs.inodesFree<5%");
  EXPECT_EQ(flag("--eviction-soft"), "memory.available<500Mi,nodefs.available<12%,nodefs.inodesFree<7%");
  EXPECT_EQ(flag("--eviction-soft-grace-period"), "memory.available=30s,nodefs.available=2m0s,nodefs.inodesFree=2m0s");
  EXPECT_EQ(flag("--eviction-max-pod-grace-period"), "60");
  EXPECT_EQ(flag("--enforce-node-allocatable"), "pods,kube-reserved,system-reserved");
  EXPECT_EQ(flag("--kube-reserved-cgroup"), "/kubereserved.slice");
  EXPECT_EQ(flag("--system-reserved-cgroup"), "/system.slice");
  EXPECT_EQ(node.kubelet_flags.value("--kube-reserved")->origin().where, "enable-node-hardening");
}

TEST(NodeHardening, ComesFromTheEnvironmentToo) {
  TestNode test;
  test.environment["ENABLE_NODE_HARDENING"] = "true";
  EXPECT_EQ(*test.resolve().kubelet_flags.find("--enforce-node-allocatable"), "pods,kube-reserved,system-reserved");
}

TEST(NodeHardening, IsOffByDefaultAndWithTheBootstrappingClient) {
  TestNode test;
  EXPECT_EQ(*test.resolve().kubelet_flags.find("--system-reserved"), "cpu=0,memory=0");
  EXPECT_EQ(test.resolve().kubelet_flags.find("--eviction-soft"), nullptr);
  test.settings["enable-node-hardening"] = "true";
  test.settings["provision-mode"] = "bootstrappingclient";
  test.settings["nodebootstrapping-server-url"] = "bootstrap.example.com";
  EXPECT_EQ(*test.resolve().kubelet_flags.find("--system-reserved"), "cpu=0,memory=0");
  EXPECT_THAT(describe(test.findings, Severity::kWarning), HasSubstr("enable-node-hardening"));
}

// The choice of a size must use the same sums as the flags: otherwise pods do not fit on the node that was created for
// them.
TEST(NodeHardening, LeavesLessForPods) {
  TestNode test;
  test.node_class["spec"]["maxPods"] = 110;
  test.settings["enable-node-hardening"] = "true";
  test.resolve();
  const ReserveInputs in{&test.read_resolver->settings(), nullptr, &*test.read_class};
  constexpr int64_t kMib = int64_t{1000} << 20;
  EXPECT_EQ(kept_from_pods(in, "memory", test.read_type), (2048 + 300 + 250) * kMib);
  EXPECT_EQ(kept_from_pods(in, "cpu", test.read_type), 100 + 100);
  EXPECT_EQ(kept_from_pods(in, "ephemeral-storage", test.read_type), 128 * kGib * kMib / 10 + kGib * kMib);
}

TEST(NodeHardening, GivesWayToAnOlderPoolsValues) {
  TestNode test;
  test.settings["enable-node-hardening"] = "true";
  test.pool["apiVersion"] = "karpenter.sh/v1beta1";
  test.pool["spec"]["template"]["spec"]["nodeClassRef"] = {{"name", "default"}};
  test.pool["spec"]["template"]["spec"]["kubelet"] = {{"systemReserved", {{"memory", "1Gi"}}},
                                                      {"evictionHard", {{"nodefs.available", "15%"}}}};
  const Resolution node = test.resolve();
  EXPECT_EQ(*node.kubelet_flags.find("--system-reserved"), "cpu=100m,ephemeral-storage=1Gi,memory=1Gi");
  EXPECT_EQ(*node.kubelet_flags.find("--eviction-hard"),
            "memory.available<250Mi,nodefs.available<15%,nodefs.inodesFree<5%");
}

}  // namespace
}  // namespace sunup::fleet

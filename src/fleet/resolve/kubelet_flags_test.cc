#include "fleet/resolve/kubelet_flags.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fleet/resolve/test_node.h"

namespace sunup::fleet {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

std::string class_errors(const json& kubelet) {
  json node_class = TestNode().node_class;
  node_class["spec"]["kubelet"] = kubelet;
  Findings findings;
  read_node_class({node_class, {}, ""}, findings);
  return describe(findings, Severity::kError);
}

std::string pool_errors(const json& kubelet) {
  json pool = TestNode().pool;
  pool["apiVersion"] = "karpenter.sh/v1beta1";
  pool["spec"]["template"]["spec"]["nodeClassRef"] = {{"name", "default"}};
  pool["spec"]["template"]["spec"]["kubelet"] = kubelet;
  Findings findings;
  read_node_pool({pool, {}, ""}, findings);
  return describe(findings, Severity::kError);
}

TEST(KubeletFlags, NoSysctlOfAClassBringsAFlagOfItsOwn) {
  for (const char* good : {"net.core.somaxconn", "net.*", "kernel.shm_rmid_forced", "net/ipv4/conf/eth0.1/rp_filter"})
    EXPECT_EQ(class_errors({{"allowedUnsafeSysctls", {good}}}), "") << good;
  for (const char* bad : {"a --read-only-port=10255", "a,b", "", "*", "net.*x", "a\nb", "a=b"})
    EXPECT_THAT(class_errors({{"allowedUnsafeSysctls", {bad}}}), HasSubstr("spec.kubelet.allowedUnsafeSysctls[0]"))
        << bad;
}

TEST(KubeletFlags, EvictionThresholdsAreQuantitiesOrPercentages) {
  for (const char* signals : {"evictionHard", "evictionSoft"}) {
    const auto errors = [&](const char* value) {
      return pool_errors(
          {{signals, {{"memory.available", value}}},
           {"evictionSoftGracePeriod",
            signals == std::string("evictionSoft") ? json{{"memory.available", "1m"}} : json::object()}});
    };
    for (const char* good : {"5%", "0%", "100%", "7.5%", "500Mi", "1G"}) EXPECT_EQ(errors(good), "") << good;
    for (const char* bad :
         {"5% --read-only-port=10255", "101%", "-1%", "x", "%", "-1Gi", "0", "", "5%,pid.available<1"})
      EXPECT_THAT(errors(bad), HasSubstr(std::string(signals) + ".memory.available")) << bad;
  }
}

TEST(KubeletFlags, DnsServersOfAPoolAreAddresses) {
  EXPECT_EQ(pool_errors({{"clusterDNS", {"10.1.1.1", "fd00::a"}}}), "");
  for (const char* bad : {"x --foo=1", "dns.example.com", "", "10.1.1"})
    EXPECT_THAT(pool_errors({{"clusterDNS", {bad}}}), HasSubstr("clusterDNS[0]")) << bad;
}

TEST(KubeletFlags, AValueThatWouldBeMoreFlagsThanOneIsRefusedWhoeverSaysIt) {
  TestNode test;
  test.settings.erase("dns-service-ip");
  test.detected.dns_service_ip = "10.0.0.10 --read-only-port=10255";
  const auto refused = test.try_resolve();
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().what, HasSubstr("--cluster-dns"));
  EXPECT_THAT(refused.error().what, HasSubstr("service kube-system/kube-dns"));
}

TEST(KubeletFlags, ATaintGivenTwiceIsRegisteredOnce) {
  TestNode test;
  const json taint = {{"key", "a"}, {"effect", "NoSchedule"}};
  test.pool["spec"]["template"]["spec"]["taints"] = json::array({taint});
  test.pool["spec"]["template"]["spec"]["startupTaints"] = {
      taint, {{"key", "karpenter.sh/unregistered"}, {"effect", "NoExecute"}}};
  EXPECT_EQ(*test.resolve().kubelet_flags.find("--register-with-taints"),
            "a:NoSchedule,karpenter.sh/unregistered:NoExecute");
}

TEST(KubeletFlags, TaintsOfOneKeyAndEffectWithTwoValuesAreRefused) {
  TestNode test;
  test.pool["spec"]["template"]["spec"]["taints"] = {{{"key", "a"}, {"value", "1"}, {"effect", "NoSchedule"}},
                                                     {{"key", "a"}, {"value", "2"}, {"effect", "NoExecute"}}};
  EXPECT_TRUE(test.try_resolve());
  test.pool["spec"]["template"]["spec"]["taints"][1]["effect"] = "NoSchedule";
  EXPECT_THAT(test.try_resolve().error().what, HasSubstr("a=1:NoSchedule and a=2:NoSchedule"));
}

}  // namespace
}  // namespace sunup::fleet

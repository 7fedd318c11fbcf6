#include "render/local_dns.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

namespace sunup::render {
namespace {

using aksnodeconfig::v1::Configuration;
using aksnodeconfig::v1::LocalDnsOverrides;
using aksnodeconfig::v1::LocalDnsProfile;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

TEST(LocalDnsLimits, AreDefaultsUnlessEnabledAndSaid) {
  LocalDnsProfile profile;
  profile.set_cpu_limit_in_milli_cores(3000);
  profile.set_memory_limit_in_mb(64);
  EXPECT_EQ(local_dns_cpu_limit(profile), "200.0%");
  EXPECT_EQ(local_dns_memory_limit(profile), "128M");
  profile.set_enable_local_dns(true);
  EXPECT_EQ(local_dns_cpu_limit(profile), "300.0%");
  EXPECT_EQ(local_dns_memory_limit(profile), "64M");
  profile.set_cpu_limit_in_milli_cores(0);
  profile.set_memory_limit_in_mb(0);
  EXPECT_EQ(local_dns_cpu_limit(profile), "200.0%");
  EXPECT_EQ(local_dns_memory_limit(profile), "128M");
}

TEST(LocalDnsLimits, KeepTenthsAndSigns) {
  LocalDnsProfile profile;
  profile.set_enable_local_dns(true);
  const auto cpu = [&](int32_t milli_cores) {
    profile.set_cpu_limit_in_milli_cores(milli_cores);
    return local_dns_cpu_limit(profile);
  };
  EXPECT_EQ(cpu(2008), "200.8%");
  EXPECT_EQ(cpu(5), "0.5%");
  EXPECT_EQ(cpu(-5), "-0.5%");
  EXPECT_EQ(cpu(std::numeric_limits<int32_t>::min()), "-214748364.8%");
  profile.set_memory_limit_in_mb(-1);
  EXPECT_EQ(local_dns_memory_limit(profile), "-1M");
}

TEST(LocalDnsCriticalNames, AreTrimmedAndJoined) {
  LocalDnsProfile profile;
  for (const auto* name : {" mcr.microsoft.com\t", "", "\xC2\xA0", "a b"}) profile.add_critical_fqdns(name);
  EXPECT_EQ(local_dns_critical_names(profile), "mcr.microsoft.com,a b");
}

Configuration enabled() {
  Configuration config;
  config.mutable_local_dns_profile()->set_enable_local_dns(true);
  return config;
}

LocalDnsOverrides& node_override(Configuration& config, const std::string& domain) {
  return (*config.mutable_local_dns_profile()->mutable_vnet_dns_overrides())[domain];
}
LocalDnsOverrides& pod_override(Configuration& config, const std::string& domain) {
  return (*config.mutable_local_dns_profile()->mutable_kube_dns_overrides())[domain];
}

std::string corefile(const Configuration& config) {
  return local_dns_corefile(config, HostsPlugin::kNo);
}

TEST(Corefile, OnlyWholeLabelsAreTheClustersWhereNoScriptExpectsOtherwise) {
  Configuration config;
  config.mutable_local_dns_profile()->set_enable_local_dns(true);
  (*config.mutable_local_dns_profile()->mutable_vnet_dns_overrides())["mycluster.local"];
  const auto names = [&config](ClusterNames which) { return local_dns_corefile(config, HostsPlugin::kNo, which); };
  EXPECT_THAT(names(ClusterNames::kAnySuffix), HasSubstr("forward . 10.0.0.10 {"));
  EXPECT_THAT(names(ClusterNames::kWholeLabels), HasSubstr("forward . 168.63.129.16 {"));
  config.mutable_local_dns_profile()->clear_vnet_dns_overrides();
  (*config.mutable_local_dns_profile()->mutable_vnet_dns_overrides())["my.cluster.local"];
  EXPECT_THAT(names(ClusterNames::kWholeLabels), HasSubstr("forward . 10.0.0.10 {"));
}

TEST(Corefile, IsEmptyUnlessLocalDnsIsEnabled) {
  Configuration config;
  node_override(config, ".");
  EXPECT_EQ(corefile(config), "");
}

TEST(Corefile, ForTheNodesRootDomainSaysEverything) {
  Configuration config = enabled();
  LocalDnsOverrides& root = node_override(config, ".");
  root.set_query_logging("Log");
  root.set_protocol("PreferUDP");
  root.set_forward_destination("ClusterCoreDNS");
  root.set_forward_policy("RoundRobin");
  root.set_max_concurrent(7);
  root.set_cache_duration_in_seconds(0);
  root.set_serve_stale("Immediate");
  root.set_serve_stale_duration_in_seconds(-1);
  root.set_failfast_all_unhealthy_upstreams(true);
  root.mutable_health_check()->set_duration("5s");
  root.mutable_health_check()->set_no_rec(true);
  root.mutable_health_check()->set_domain("example.org");
  EXPECT_EQ(local_dns_corefile(config, HostsPlugin::kYes), R"(health-check.localdns.local:53 {
    bind 169.254.10.10 169.254.10.11
    whoami
}
.:53 {
    log
    bind 169.254.10.10
    hosts /etc/localdns/hosts {
        ttl 5
        reload 5s
        fallthrough
    }
    forward . 168.63.129.16 {
        prefer_udp
        policy round_robin
        max_concurrent 7
        health_check 5s no_rec domain example.org
        failfast_all_unhealthy_upstreams
    }
    ready 169.254.10.10:8181
    cache 0 {
        success 9984
        denial 9984
        serve_stale -1s immediate
        servfail 0
    }
    loop
    nsid localdns
    prometheus :9253
    template ANY ANY internal.cloudapp.net {
        match "^(?:[^.]+\.){4,}internal\.cloudapp\.net\.$"
        rcode NXDOMAIN
        fallthrough
    }
    template ANY ANY reddog.microsoft.com {
        rcode NXDOMAIN
    }
}
)");
}

TEST(Corefile, AsksTheClusterForClusterNamesAndWhereItIsTold) {
  Configuration config = enabled();
  config.mutable_cluster_config()->mutable_cluster_network_config()->set_core_dns_service_ip("10.2.0.10");
  pod_override(config, ".").set_forward_destination("ClusterCoreDNS");
  EXPECT_THAT(corefile(config), HasSubstr("forward . 10.2.0.10 {"));
  pod_override(config, ".").set_forward_destination("clustercoredns");
  EXPECT_THAT(corefile(config), Not(HasSubstr("10.2.0.10"))) << "words are compared exactly";
  for (const auto* domain : {"cluster.local", "mycluster.local"}) {
    Configuration one = enabled();
    node_override(one, domain);
    EXPECT_THAT(corefile(one), HasSubstr("forward . 10.0.0.10 {")) << domain;
  }
  Configuration dotted = enabled();
  node_override(dotted, "cluster.local.");
  EXPECT_THAT(corefile(dotted), HasSubstr("forward . 168.63.129.16 {"));
}

TEST(Corefile, PutsSortedNodeDomainsBeforeSortedPodDomains) {
  Configuration config = enabled();
  node_override(config, "b");
  node_override(config, "a");
  pod_override(config, "a");
  const std::string file = corefile(config);
  const size_t a = file.find("\na:53"), b = file.find("\nb:53"), pods = file.find("\na:53", a + 1);
  EXPECT_LT(a, b);
  EXPECT_LT(b, pods);
  EXPECT_NE(pods, std::string::npos);
}

TEST(Corefile, HasUsableNumbersWhereTheConfigHasNone) {
  Configuration config = enabled();
  node_override(config, "a").set_serve_stale("Verify");
  EXPECT_THAT(corefile(config), AllOf(HasSubstr("max_concurrent 1000\n"), HasSubstr("cache 3600 {"),
                                      HasSubstr("serve_stale 3600s verify\n"), HasSubstr("policy sequential\n")));
}

TEST(Corefile, ChecksHealthOnlyWithADuration) {
  Configuration config = enabled();
  node_override(config, "a").mutable_health_check()->set_no_rec(true);
  EXPECT_THAT(corefile(config), Not(HasSubstr("health_check")));
}

}  // namespace
}  // namespace sunup::render

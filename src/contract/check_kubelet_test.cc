// Kubelet's flags, config file, and both together.
#include "contract/check.h"
#include "contract/test_check.h"

namespace sunup::contract {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Not;

class CheckFindsOfKubelet : public testing::TestWithParam<Case> {};

TEST_P(CheckFindsOfKubelet, WhatWouldOnlyShowAsADeadNode) {
  EXPECT_THAT(said(with(GetParam().change)), Contains(GetParam().expected)) << GetParam().change;
}

#define FILE_PATH "$.kubelet_config.kubelet_config_file_config"
#define IN_FILE(members) R"({"kubelet_config":{"kubelet_config_file_config":{)" members R"(}}})"
#define FLAG_PATH(flag) "$.kubelet_config.kubelet_flags[\"" flag "\"]"
#define IN_FLAGS(members) R"({"kubelet_config":{"kubelet_flags":{)" members R"(}}})"

constexpr Case kKubelet[] = {
    {R"({"kubelet_config":{"kubelet_flags":{"max-pods":"30"}}})",
     "error kubelet-flag $.kubelet_config.kubelet_flags[\"max-pods\"]"},
    {R"({"kubelet_config":{"kubelet_flags":{"--v":"2 --x"}}})",
     "error kubelet-flag $.kubelet_config.kubelet_flags[\"--v\"]"},
    {R"({"kubelet_config":{"kubelet_flags":{"--no-such-flag":"x"}}})",
     "warning kubelet-flag $.kubelet_config.kubelet_flags[\"--no-such-flag\"]"},
    {R"({"kubelet_config":{"kubelet_flags":{"--v":"abc"}}})",
     "error kubelet-flag $.kubelet_config.kubelet_flags[\"--v\"]"},
    {R"({"kubelet_config":{"kubelet_flags":{"--image-gc-high-threshold":"500"}}})",
     "error kubelet-flag $.kubelet_config.kubelet_flags[\"--image-gc-high-threshold\"]"},
    {R"({"kubelet_config":{"kubelet_flags":{"--authorization-mode":"Maybe"}}})",
     "error kubelet-flag $.kubelet_config.kubelet_flags[\"--authorization-mode\"]"},
    {R"({"kubelet_config":{"kubelet_flags":{"--register-node":"ja"}}})",
     "error kubelet-flag $.kubelet_config.kubelet_flags[\"--register-node\"]"},
    {R"({"kubelet_config":{"kubelet_flags":{"--eviction-soft":"foo<3"}}})",
     "error kubelet-flag $.kubelet_config.kubelet_flags[\"--eviction-soft\"]"},
    {R"({"kubelet_config":{"kubelet_flags":{"--eviction-soft":"memory.available=3"}}})",
     "error kubelet-flag $.kubelet_config.kubelet_flags[\"--eviction-soft\"]"},
    {R"({"kubelet_config":{"kubelet_flags":{"--cluster-dns":"10.0.0"}}})",
     "error kubelet-flag $.kubelet_config.kubelet_flags[\"--cluster-dns\"]"},
    {R"({"kubelet_config":{"kubelet_flags":{"--pods-per-core":"lots"}}})",
     "error kubelet-flag $.kubelet_config.kubelet_flags[\"--pods-per-core\"]"},
    {R"({"kubelet_config":{"kubelet_flags":{"--pods-per-core":""}}})",
     "error kubelet-flag $.kubelet_config.kubelet_flags[\"--pods-per-core\"]"},
    {R"({"kubelet_config":{"kubelet_flags":{"--node-status-update-frequency":"10"}}})",
     "error kubelet-flag $.kubelet_config.kubelet_flags[\"--node-status-update-frequency\"]"},
    {R"({"kubelet_config":{"kubelet_flags":{"--kube-reserved":"cpu:100m"}}})",
     "error kubelet-flag $.kubelet_config.kubelet_flags[\"--kube-reserved\"]"},
    {R"({"kubelet_config":{"kubelet_flags":{"--enforce-node-allocatable":"pods,all"}}})",
     "error kubelet-flag $.kubelet_config.kubelet_flags[\"--enforce-node-allocatable\"]"},
    {R"({"kubelet_config":{"kubelet_flags":{"--container-log-max-size":"big"}}})",
     "error kubelet-flag $.kubelet_config.kubelet_flags[\"--container-log-max-size\"]"},
    {R"({"kubelet_config":{"kubelet_flags":{"--eviction-soft-grace-period":"memory.available=soon"}}})",
     "error kubelet-flag $.kubelet_config.kubelet_flags[\"--eviction-soft-grace-period\"]"},
    {R"({"kubelet_config":{"kubelet_flags":{"--max-pods":"30"}}})",
     "error kubelet-flag-twice $.kubelet_config.kubelet_flags[\"--max-pods\"]"},
    {R"({"kubelet_config":{"kubelet_flags":{"--max-pods":"110"}}})",
     "warning kubelet-flag-twice $.kubelet_config.kubelet_flags[\"--max-pods\"]"},
    {R"({"kubelet_config":{"kubelet_flags":{"--eviction-hard":"memory.available<100Mi,nodefs.available<10%"}}})",
     "warning kubelet-flag-twice $.kubelet_config.kubelet_flags[\"--eviction-hard\"]"},
    {R"({"kubelet_config":{"kubelet_flags":{"--network-plugin":"cni"}}})",
     "error kubelet-flag-gone $.kubelet_config.kubelet_flags[\"--network-plugin\"]"},
    {R"({"kubelet_config":{"kubelet_flags":{"--register-with-taints":"a=b"}}})",
     "error node-taint $.kubelet_config.kubelet_flags[\"--register-with-taints\"]"},
    {R"({"kubelet_config":{"kubelet_flags":{"--feature-gates":"A=true,B"}}})",
     "error feature-gate $.kubelet_config.kubelet_flags[\"--feature-gates\"]"},
    {R"({"kubelet_config":{"kubelet_flags":{"--node-ip":"10.0.0"}}})",
     "error node-ip $.kubelet_config.kubelet_flags[\"--node-ip\"]"},
    {R"({"ipv6_dual_stack_enabled":true,"kubelet_config":{"kubelet_flags":{"--node-ip":"10.0.0.4"}}})",
     "warning node-ip $.kubelet_config.kubelet_flags[\"--node-ip\"]"},
    {R"({"kubelet_config":{"kubelet_node_labels":{"a b":"c"}}})",
     "error node-label $.kubelet_config.kubelet_node_labels[\"a b\"]"},
    {R"({"kubelet_config":{"kubelet_node_labels":{"a":"b,c"}}})",
     "error node-label $.kubelet_config.kubelet_node_labels[\"a\"]"},
    {R"({"kubelet_config":{"kubelet_node_labels":{"node-role.kubernetes.io/agent":""}}})",
     "error node-label $.kubelet_config.kubelet_node_labels[\"node-role.kubernetes.io/agent\"]"},
    {R"({"kubelet_config":{"enable_kubelet_config_file":false}})", "warning kubelet-config-file " FILE_PATH},
    {R"({"kubelet_config":{"kubelet_config_file_config":null}})", "error kubelet-config-file " FILE_PATH},
    {IN_FILE(R"("kind":null)"), "error kubelet-config-file " FILE_PATH ".kind"},
    {IN_FILE(R"("api_version":"v1")"), "error kubelet-config-file " FILE_PATH ".api_version"},
    {IN_FILE(R"("node_status_update_frequency":"10")"),
     "error kubelet-duration " FILE_PATH ".node_status_update_frequency"},
    {IN_FILE(R"("cpu_cfs_quota_period":"2s")"), "error kubelet-duration " FILE_PATH ".cpu_cfs_quota_period"},
    {IN_FILE(R"("authentication":{"webhook":{"cache_ttl":"x"}})"),
     "error kubelet-duration " FILE_PATH ".authentication.webhook.cache_ttl"},
    {IN_FILE(R"("kube_reserved":{"disk":"1Gi"})"), "error reserved-resource " FILE_PATH ".kube_reserved[\"disk\"]"},
    {IN_FILE(R"("system_reserved":{"cpu":"lots"})"), "error reserved-resource " FILE_PATH ".system_reserved[\"cpu\"]"},
    {IN_FILE(R"("eviction_hard":{"memory":"1Gi"})"), "error eviction " FILE_PATH ".eviction_hard[\"memory\"]"},
    {IN_FILE(R"("eviction_soft":{"pid.available":"10%"})"),
     "error eviction-grace " FILE_PATH ".eviction_soft[\"pid.available\"]"},
    {IN_FILE(R"("eviction_hard":{"memory.available":"150%"})"),
     "error eviction " FILE_PATH ".eviction_hard[\"memory.available\"]"},
    {IN_FILE(R"("eviction_hard":{"memory.available":"0"})"),
     "error eviction " FILE_PATH ".eviction_hard[\"memory.available\"]"},
    {IN_FILE(R"("eviction_soft_grace_period":{"disk":"1s"})"),
     "error eviction " FILE_PATH ".eviction_soft_grace_period[\"disk\"]"},
    {IN_FILE(R"("cgroups_per_qos":false)"), "error node-allocatable " FILE_PATH ".cgroups_per_qos"},
    {IN_FLAGS(R"("--cgroups-per-qos":"false","--enforce-node-allocatable":"pods")"),
     "error node-allocatable " FLAG_PATH("--cgroups-per-qos")},
    {IN_FILE(R"("enforce_node_allocatable":["none","pods"])"),
     "error node-allocatable " FILE_PATH ".enforce_node_allocatable"},
    {IN_FILE(R"("cpu_manager_policy":"static","kube_reserved":{"cpu":"0"})"),
     "error node-allocatable " FILE_PATH ".cpu_manager_policy"},
    {IN_FILE(R"("cpu_manager_policy":"static","kube_reserved":null,"system_reserved":{"cpu":"0e5"})"),
     "error node-allocatable " FILE_PATH ".cpu_manager_policy"},
    {IN_FILE(R"("allowed_unsafe_sysctls":["net.core.somaxconn","vm.swappiness"])"),
     "error unsafe-sysctl " FILE_PATH ".allowed_unsafe_sysctls[1]"},
    {IN_FILE(R"("allowed_unsafe_sysctls":["net.core.somaxconn,net.ipv4.tcp_tw_reuse"])"),
     "error unsafe-sysctl " FILE_PATH ".allowed_unsafe_sysctls[0]"},
    {IN_FLAGS(R"("--allowed-unsafe-sysctls":"vm.*")"), "error unsafe-sysctl " FLAG_PATH("--allowed-unsafe-sysctls")},
    {IN_FILE(R"("tls_cert_file":"/elsewhere.crt","tls_private_key_file":"/elsewhere.key")"),
     "warning kubelet-certificate " FILE_PATH ".tls_cert_file"},
    {IN_FLAGS(R"("--eviction-soft":"memory.available<1Gi")"), "error eviction-grace " FLAG_PATH("--eviction-soft")},
    {IN_FLAGS(R"("--image-gc-high-threshold":"70")"), "error image-gc " FLAG_PATH("--image-gc-high-threshold")},
    {R"({"kubelet_config":{"kubelet_flags":{"--kube-reserved-cgroup":"/foo"},"enable_kubelet_config_file":false}})",
     "error reserved-cgroup " FLAG_PATH("--kube-reserved-cgroup")},
    {IN_FLAGS(R"("--kube-reserved-cgroup":"/foo")"), "warning reserved-cgroup " FLAG_PATH("--kube-reserved-cgroup")},
    {IN_FLAGS(R"("--kube-reserved-cgroup":"/kubereserved.slice")"),
     "warning reserved-cgroup " FLAG_PATH("--kube-reserved-cgroup")},
    {R"({"kubelet_config":{"kubelet_flags":{"--kube-reserved-cgroup":"/kubereserved.slice"},
         "kubelet_config_file_config":{"enforce_node_allocatable":["pods","kube-reserved-compressible"]}}})",
     "error reserved-cgroup " FLAG_PATH("--kube-reserved-cgroup")},
    {R"({"kubelet_config":{"kubelet_flags":{"--kube-reserved-cgroup":"/kubereserved.slice"},
         "kubelet_config_file_config":{"kube_reserved_cgroup":"/other.slice"}}})",
     "error reserved-cgroup " FILE_PATH ".kube_reserved_cgroup"},
    {R"({"kubelet_config":{"kubelet_flags":{"--reserved-cpus":"0-1"},
         "kubelet_config_file_config":{"kube_reserved_cgroup":"/kubereserved.slice"}}})",
     "error reserved-cgroup " FLAG_PATH("--reserved-cpus")},
    {IN_FLAGS(R"("--reserved-cpus":"0-1","--system-reserved-cgroup":"/system.slice")"),
     "error reserved-cgroup " FLAG_PATH("--reserved-cpus")},
    {IN_FLAGS(R"("--kube-reserved":"cpu=-100m")"), "error kubelet-flag " FLAG_PATH("--kube-reserved")},
    {IN_FLAGS(R"("--eviction-hard":"memory.available<150%")"), "error kubelet-flag " FLAG_PATH("--eviction-hard")},
    {IN_FLAGS(R"("--eviction-hard":"memory.available<0")"), "error kubelet-flag " FLAG_PATH("--eviction-hard")},
    {IN_FLAGS(R"("--eviction-minimum-reclaim":"memory.available=0%")"),
     "error kubelet-flag " FLAG_PATH("--eviction-minimum-reclaim")},
    {IN_FLAGS(R"("--reserved-cpus":"abc")"), "error kubelet-flag " FLAG_PATH("--reserved-cpus")},
    {IN_FLAGS(R"("--tls-cipher-suites":"FOO")"), "error tls-cipher-suite " FLAG_PATH("--tls-cipher-suites")},
    {IN_FLAGS(R"("--node-labels":"kubernetes.io/role=x")"), "error node-label " FLAG_PATH("--node-labels")},
    {R"({"kubelet_config":{"kubelet_flags":{"--node-labels":"a=b,c=d"},"kubelet_node_labels":{"a":"b","c":"e"}}})",
     "warning node-label " FLAG_PATH("--node-labels")},
    {R"({"kubernetes_version":"1.37.0","kubelet_config":{"kubelet_flags":{"--event-qps":"0"}}})",
     "note event-limit " FLAG_PATH("--event-qps")},
    {R"({"kubernetes_version":"1.37.0","kubelet_config":{"enable_kubelet_config_file":true,
        "kubelet_config_file_config":{"event_record_qps":0}}})",
     "note event-limit $.kubelet_config.kubelet_config_file_config.event_record_qps"},
    {IN_FLAGS(R"("--register-node":"false")"), "error never-joins " FLAG_PATH("--register-node")},
    {IN_FLAGS(R"("--kubeconfig":"/root/.kube/config")"), "warning never-joins " FLAG_PATH("--kubeconfig")},
    {IN_FLAGS(R"("--kubeconfig":"")"), "error never-joins " FLAG_PATH("--kubeconfig")},
    {IN_FLAGS(R"("--runonce":"true")"), "error never-joins " FLAG_PATH("--runonce")},
    {IN_FLAGS(R"("--version":"true")"), "error never-joins " FLAG_PATH("--version")},
    {IN_FLAGS(R"("--cloud-provider":"exernal")"), "error never-joins " FLAG_PATH("--cloud-provider")},
    {IN_FLAGS(R"("--feature-gates":"=true")"), "error feature-gate " FLAG_PATH("--feature-gates")},
    {IN_FLAGS(R"("--azure-container-registry-config":"/etc/kubernetes/azure.json")"),
     "warning kubelet-flag-gone " FLAG_PATH("--azure-container-registry-config")},
    {R"({"kubernetes_version":"1.34.1","kubelet_config":{"kubelet_flags":{"--cloud-config":"/x"}}})",
     "error kubelet-flag-gone " FLAG_PATH("--cloud-config")},
    {R"({"bootstrapping_config":{"tls_bootstrapping_token":null,
        "bootstrapping_auth_method":"BOOTSTRAPPING_AUTH_METHOD_SECURE_TLS_BOOTSTRAPPING"}})",
     "error bootstrap-credential $.kubelet_config.kubelet_flags"},
    {IN_FILE(R"("eviction_soft_grace_period":{"pid.available":"1"})"),
     "error eviction " FILE_PATH ".eviction_soft_grace_period[\"pid.available\"]"},
    {IN_FILE(R"("max_pods":-1)"), "error kubelet-number " FILE_PATH ".max_pods"},
    {IN_FILE(R"("max_pods":0)"), "warning kubelet-number " FILE_PATH ".max_pods"},
    {IN_FILE(R"("max_pods":251)"), "warning kubelet-number " FILE_PATH ".max_pods"},
    {IN_FILE(R"("read_only_port":70000)"), "error kubelet-number " FILE_PATH ".read_only_port"},
    {IN_FILE(R"("container_log_max_files":1)"), "error kubelet-number " FILE_PATH ".container_log_max_files"},
    {IN_FILE(R"("image_gc_low_threshold_percent":90)"), "error image-gc " FILE_PATH ".image_gc_low_threshold_percent"},
    {IN_FILE(R"("cpu_manager_policy":"dynamic")"), "error kubelet-word " FILE_PATH ".cpu_manager_policy"},
    {IN_FILE(R"("authorization":{"mode":"AlwaysAllow"})"), "warning kubelet-word " FILE_PATH ".authorization.mode"},
    {IN_FILE(R"("enforce_node_allocatable":["pod"])"), "error kubelet-word " FILE_PATH ".enforce_node_allocatable[0]"},
    {IN_FILE(R"("enforce_node_allocatable":["kube-reserved"])"),
     "error reserved-cgroup " FILE_PATH ".kube_reserved_cgroup"},
    {IN_FILE(R"("kube_reserved_cgroup":"/other.slice")"), "error reserved-cgroup " FILE_PATH ".kube_reserved_cgroup"},
    {IN_FILE(R"("cpu_manager_policy":"static","kube_reserved":null)"),
     "error node-allocatable " FILE_PATH ".cpu_manager_policy"},
    {IN_FILE(R"("cluster_dns":["kube-dns"])"), "error cluster-dns " FILE_PATH ".cluster_dns[0]"},
    {IN_FILE(R"("tls_cert_file":"/x")"), "error kubelet-certificate " FILE_PATH ".tls_private_key_file"},
    {IN_FILE(R"("address":"eth0")"), "error kubelet-address " FILE_PATH ".address"},
    {IN_FILE(R"("tls_cipher_suites":["AES"])"), "error tls-cipher-suite " FILE_PATH ".tls_cipher_suites[0]"},
    {IN_FILE(R"("tls_cipher_suites":["TLS_AES_128_GCM_SHA256,TLS_AES_256_GCM_SHA384"])"),
     "error tls-cipher-suite " FILE_PATH ".tls_cipher_suites[0]"},
};
INSTANTIATE_TEST_SUITE_P(Kubelet, CheckFindsOfKubelet, testing::ValuesIn(kKubelet));

TEST(CheckKubeletFlags, ThatHoldPairsTakeNothingElse) {
  const auto refused = [](const std::string& flag, const std::string& value) {
    const nlohmann::json config{{"kubelet_config", {{"kubelet_flags", {{flag, value}}}}}};
    const auto all = said(with(config.dump()));
    return std::ranges::find(all, "error kubelet-flag $.kubelet_config.kubelet_flags[\"" + flag + "\"]") != all.end();
  };
  for (const auto& [flag, good] :
       {std::pair("--cpu-manager-policy-options", "full-pcpus-only=true"),
        std::pair("--topology-manager-policy-options", "a=b,,c=d"), std::pair("--qos-reserved", "memory=50%"),
        std::pair("--manifest-url-header", "a:hello,b:again"), std::pair("--vmodule", "kubelet=4,volume*=2"),
        std::pair("--reserved-memory", "0:memory=1Gi,hugepages-2Mi=1Gi;1:memory=1Gi")}) {
    EXPECT_FALSE(refused(flag, good)) << flag;
    EXPECT_TRUE(refused(flag, "word")) << flag;
    EXPECT_EQ(refused(flag, ""), std::string_view(flag) == "--cpu-manager-policy-options") << flag;
  }
  EXPECT_TRUE(refused("--vmodule", "kubelet=many"));
  EXPECT_TRUE(refused("--reserved-memory", "0:disk=1Gi"));
  EXPECT_FALSE(refused("--tls-min-version", "")) << "kubelet takes its default";
}

TEST(CheckKubeletFlags, OfAVersionAreTheOnesThatItsKubeletHas) {
  const auto gone = [](const char* version, const std::string& flag, const char* value) {
    const std::string config = std::string(R"({"kubernetes_version":")") + version +
                               R"(","kubelet_config":{"kubelet_flags":{")" + flag + R"(":")" + value + R"("}}})";
    const auto all = said(with(config.c_str()));
    const std::string path = " $.kubelet_config.kubelet_flags[\"" + flag + "\"]";
    EXPECT_THAT(all, Not(Contains("warning kubelet-flag" + path))) << flag << " is known";
    return std::ranges::find(all, "error kubelet-flag-gone" + path) != all.end();
  };
  EXPECT_FALSE(gone("1.33.3", "--register-schedulable", "true"));
  EXPECT_TRUE(gone("1.34.12", "--register-schedulable", "true"));
  EXPECT_FALSE(gone("1.30.14", "--iptables-masquerade-bit", "14"));
  EXPECT_TRUE(gone("1.31.0", "--iptables-masquerade-bit", "14"));
  EXPECT_TRUE(gone("1.34.12", "--allow-privileged", "true"));
  EXPECT_TRUE(gone("1.24.0", "--docker-root", "/x"));
  EXPECT_TRUE(gone("1.30.14", "--fail-cgroupv1", "false")) << "not yet";
  EXPECT_FALSE(gone("1.31.0", "--fail-cgroupv1", "false"));
  EXPECT_FALSE(gone("1.31.0-rc.1", "--fail-cgroupv1", "false"));
  EXPECT_FALSE(gone("1.36.5", "--kube-api-content-type", "application/json"));
}

TEST(Check, AcceptsWhatKubeletTakes) {
  EXPECT_THAT(said(with(R"({"kubelet_config":{"kubelet_flags":{
      "--v":"2", "--register-node":"True", "--image-gc-high-threshold":"85", "--event-qps":"0", "--pod-max-pids":"-1",
      "--authorization-mode":"Webhook", "--cluster-dns":"10.0.0.10,fd00::a", "--system-reserved":"cpu=100m,pid=1000",
      "--eviction-soft":"memory.available<1.5Gi,imagefs.inodesFree<5%", "--enforce-node-allocatable":"pods",
      "--eviction-soft-grace-period":"memory.available=1m30s,imagefs.inodesFree=1m",
      "--eviction-minimum-reclaim":"nodefs.available=500Mi,memory.available=0,imagefs.available=150%",
      "--node-status-update-frequency":"10s", "--container-log-max-size":"50M", "--tls-min-version":"VersionTLS12",
      "--feature-gates":"", "--kubeconfig":"/var/lib/kubelet/kubeconfig"}}})")),
              IsEmpty());
}

TEST(Check, WantsNoGracePeriodOfAThresholdThatKubeletDrops) {
  EXPECT_THAT(said(with(IN_FILE(R"("eviction_soft":{"memory.available":"0%","nodefs.available":"100%"})"))), IsEmpty());
  EXPECT_THAT(said(with(IN_FLAGS(R"("--eviction-soft":"memory.available<0%")"))), IsEmpty());
}

TEST(Check, AcceptsSysctlsHoweverKubeletLetsThemBeSpelled) {
  EXPECT_THAT(said(with(IN_FILE(R"("allowed_unsafe_sysctls":["kernel.sem*","kernel.msg*","net/ipv4/tcp_tw_reuse",
                                   "net/ipv4/conf/eth0.1/forwarding","fs/mqueue/*"])"))),
              IsEmpty());
}

TEST(Check, LeavesOutWhatIsEmptyBetweenCommasWhereKubeletDoes) {
  EXPECT_THAT(
      said(with(IN_FLAGS(R"("--node-labels":"a=b,","--feature-gates":",A=true,,","--system-reserved":"cpu=100m,",
                                    "--eviction-minimum-reclaim":"memory.available=0,",
                                    "--eviction-soft":",memory.available<1Gi",
                                    "--eviction-soft-grace-period":"memory.available=1m,")"))),
      IsEmpty());
  for (const char* list : {R"("--cluster-dns":"10.0.0.10,")", R"("--enforce-node-allocatable":"pods,")",
                           R"("--register-with-taints":"a=b:NoSchedule,")", R"("--node-ip":"10.0.0.4,")"})
    EXPECT_THAT(said(with(R"({"kubelet_config":{"kubelet_flags":{)" + std::string(list) + "}}}")),
                Contains(testing::StartsWith("error ")))
        << list;
}

TEST(Check, AsksNothingOfAFileThatIsNotEnabled) {
  EXPECT_THAT(said(with(R"({"kubelet_config":{"enable_kubelet_config_file":false,
                            "kubelet_config_file_config":{"feature_gates":{"":true}}}})")),
              ElementsAre("warning kubelet-config-file " FILE_PATH));
  EXPECT_THAT(said(with(IN_FILE(R"("feature_gates":{"":true})"))),
              Contains("error feature-gate " FILE_PATH ".feature_gates"));
}

TEST(Check, WarnsOfWhatOnlyOlderKubeletsRefuse) {
  EXPECT_THAT(said(with(IN_FLAGS(R"("--cgroups-per-qos":"false","--enforce-node-allocatable":"none")"))),
              ElementsAre("warning node-allocatable " FLAG_PATH("--cgroups-per-qos")));
  EXPECT_THAT(said(with(IN_FLAGS(R"("--cgroups-per-qos":"false","--enforce-node-allocatable":"")"))), IsEmpty());
}

TEST(Check, SaysWhichFlagWasLikelyMeant) {
  const auto findings = judged(with(R"({"kubelet_config":{"kubelet_flags":{"--max-pod":"30"}}})"));
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].hint, "did you mean --max-pods?");
}

TEST(Check, TakesTwoSpellingsOfOneSettingForAlike) {
  for (const char* change :
       {R"({"kubelet_flags":{"--streaming-connection-idle-timeout":"4h"},
            "kubelet_config_file_config":{"streaming_connection_idle_timeout":"4h0m0s"}})",
        R"({"kubelet_flags":{"--eviction-hard":"nodefs.available<10%,memory.available<100Mi"},
            "kubelet_config_file_config":{"eviction_hard":{"memory.available":"100Mi","nodefs.available":"10%"}}})",
        R"({"kubelet_flags":{"--eviction-hard":"nodefs.available<10%,,"},
            "kubelet_config_file_config":{"eviction_hard":{"memory.available":null,"nodefs.available":"10%"}}})",
        R"({"kubelet_flags":{"--enforce-node-allocatable":"system-reserved,pods"},"kubelet_config_file_config":{
            "system_reserved_cgroup":"/system.slice","enforce_node_allocatable":["pods","system-reserved"]}})",
        R"({"kubelet_flags":{"--tls-cipher-suites":"TLS_AES_256_GCM_SHA384,TLS_AES_128_GCM_SHA256"},
            "kubelet_config_file_config":{"tls_cipher_suites":["TLS_AES_128_GCM_SHA256","TLS_AES_256_GCM_SHA384"]}})",
        R"({"kubelet_flags":{"--allowed-unsafe-sysctls":"net.core.somaxconn,kernel.sem"},
            "kubelet_config_file_config":{"allowed_unsafe_sysctls":["kernel.sem","net.core.somaxconn"]}})",
        R"({"kubelet_flags":{"--fail-swap-on":"0"},"kubelet_config_file_config":{"fail_swap_on":false}})",
        R"({"kubelet_flags":{"--feature-gates":"A=True"},"kubelet_config_file_config":{"feature_gates":{"A":true}}})"})
    EXPECT_THAT(said(with(R"({"kubernetes_version":"1.31.2","kubelet_config":)" + std::string(change) + "}")),
                AllOf(Contains(testing::StartsWith("warning kubelet-flag-twice")),
                      Not(Contains(testing::StartsWith("error ")))))
        << change;
}

TEST(Check, TakesDnsServersInAnotherOrderForAnotherSetting) {
  EXPECT_THAT(said(with(R"({"kubelet_config":{"kubelet_flags":{"--cluster-dns":"10.0.0.11,10.0.0.10"},
                            "kubelet_config_file_config":{"cluster_dns":["10.0.0.10","10.0.0.11"]}}})")),
              Contains("error kubelet-flag-twice " FLAG_PATH("--cluster-dns")));
}

TEST(Check, LetsFlagsAndFileCompleteEachOther) {
  for (const char* change :
       {R"({"kubelet_flags":{"--feature-gates":"A=true"},"kubelet_config_file_config":{"feature_gates":{"B":true}}})",
        R"({"kubelet_flags":{"--system-reserved":"cpu=100m"},
            "kubelet_config_file_config":{"cpu_manager_policy":"static","kube_reserved":null}})",
        R"({"kubelet_flags":{"--system-reserved-cgroup":"/system.slice"},
            "kubelet_config_file_config":{"enforce_node_allocatable":["pods","system-reserved"]}})",
        R"({"kubelet_flags":{"--enforce-node-allocatable":"pods,kube-reserved-compressible"},
            "kubelet_config_file_config":{"kube_reserved_cgroup":"/kubereserved.slice"}})"})
    EXPECT_THAT(said(with(R"({"kubelet_config":)" + std::string(change) + "}")), IsEmpty()) << change;
}

TEST(Check, LeavesATimeoutAloneThatIsDroppedAnyway) {
  EXPECT_THAT(said(with(R"({"kubernetes_version":"1.34.1","kubelet_config":{
      "kubelet_flags":{"--streaming-connection-idle-timeout":"1h"},
      "kubelet_config_file_config":{"streaming_connection_idle_timeout":"4h"}}})")),
              IsEmpty());
}

}  // namespace
}  // namespace sunup::contract

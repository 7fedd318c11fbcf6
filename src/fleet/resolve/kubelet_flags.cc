#include "fleet/resolve/kubelet_flags.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <set>
#include <utility>

#include "base/duration.h"
#include "base/text.h"
#include "base/version_changes.h"
#include "contract/formats.h"
#include "fleet/resolve/node_reserve.h"

namespace sunup::fleet {
namespace {

using namespace std::chrono_literals;

constexpr std::pair<std::string_view, std::string_view> kBase[] = {
    {"--address", "0.0.0.0"},
    {"--anonymous-auth", "false"},
    {"--authentication-token-webhook", "true"},
    {"--authorization-mode", "Webhook"},
    {"--cgroups-per-qos", "true"},
    {"--client-ca-file", "/etc/kubernetes/certs/ca.crt"},
    {"--cloud-config", "/etc/kubernetes/azure.json"},
    {"--cloud-provider", "external"},
    {"--cluster-dns", "10.0.0.10"},
    {"--cluster-domain", "cluster.local"},
    {"--enforce-node-allocatable", "pods"},
    {"--event-qps", "0"},
    {"--eviction-hard", "memory.available<750Mi,nodefs.available<10%,nodefs.inodesFree<5%"},
    {"--image-gc-high-threshold", "85"},
    {"--image-gc-low-threshold", "80"},
    {"--kubeconfig", "/var/lib/kubelet/kubeconfig"},
    {"--max-pods", "110"},
    {"--node-status-update-frequency", "10s"},
    {"--pod-infra-container-image", "mcr.microsoft.com/oss/kubernetes/pause:3.6"},
    {"--pod-manifest-path", "/etc/kubernetes/manifests"},
    {"--pod-max-pids", "-1"},
    {"--protect-kernel-defaults", "true"},
    {"--read-only-port", "0"},
    {"--resolv-conf", "/run/systemd/resolve/resolv.conf"},
    {"--rotate-certificates", "true"},
    {"--streaming-connection-idle-timeout", "4h"},
    {"--tls-cert-file", "/etc/kubernetes/certs/kubeletserver.crt"},
    {"--tls-cipher-suites",
     "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256,TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256,"
     "TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305,TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384,"
     "TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305,TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384,"
     "TLS_RSA_WITH_AES_256_GCM_SHA384,TLS_RSA_WITH_AES_128_GCM_SHA256"},
    {"--tls-private-key-file", "/etc/kubernetes/certs/kubeletserver.key"},
};

const Taint kUnregistered{"karpenter.sh/unregistered", "", "NoExecute"};

std::string pairs_of(const std::map<std::string, std::string>& map, char between) {
  std::string text;
  for (const auto& [key, value] : map) {
    if (!text.empty()) text += ',';
    text.append(key).append(1, between).append(value);
  }
  return text;
}

// Which flags exist depends on the minor version.
void apply_version(ValueMap& flags, uint64_t minor) {
  constexpr std::string_view kWhere = "the Kubernetes version";
  if (minor < versions::kNoTerminatedVolumes.minor)
    flags.offer("--keep-terminated-pod-volumes", Source::kComputed, kWhere, "false");
  if (minor >= versions::kNoCloudConfig.minor) flags.erase("--cloud-config");
  if (minor >= versions::kNoPauseImageFlag.minor) flags.erase("--pod-infra-container-image");
  if (minor >= versions::kCredentialProvider.minor) {
    flags.offer("--image-credential-provider-config", Source::kComputed, kWhere,
                "/var/lib/kubelet/credential-provider-config.yaml");
    flags.offer("--image-credential-provider-bin-dir", Source::kComputed, kWhere,
                "/var/lib/kubelet/credential-provider");
  } else {
    if (minor >= versions::kCredentialGate.minor)  // an older kubelet does not start with the gate
      flags.offer("--feature-gates", Source::kComputed, kWhere, "DisableKubeletCloudCredentialProviders=false");
    flags.offer("--azure-container-registry-config", Source::kComputed, kWhere, "/etc/kubernetes/azure.json");
  }
}

std::pair<std::string_view, std::string_view> max_pods_by_network(const Settings& settings) {
  const std::string& plugin = settings.text(Option::kNetworkPlugin);
  const std::string& mode = settings.text(Option::kNetworkPluginMode);
  if (plugin == "none") return {"network-plugin none", "250"};
  if (plugin == "kubenet") return {"network-plugin kubenet", "100"};
  if (plugin == "azure" && mode == "overlay") return {"network-plugin azure, mode overlay", "250"};
  if (plugin == "azure" && mode.empty()) return {"network-plugin azure without a mode", "30"};
  return {"any other network-plugin", "110"};
}

void apply_pool(ValueMap& flags, const PoolKubelet& kubelet) {
  const auto offer = [&flags](std::string_view flag, std::string_view where, std::string value) {
    if (!value.empty()) flags.offer(flag, Source::kNodePool, where, std::move(value));
  };
  const auto number = [](const std::optional<int>& value) { return value ? std::to_string(*value) : std::string(); };
  // A value of the pool for one resource leaves the defaults of the others unchanged.
  const auto offer_merged = [&](std::string_view flag, std::string_view where,
                                const std::map<std::string, std::string>& said, char between) {
    const std::string* now = flags.find(flag);
    if (!said.empty()) offer(flag, where, with_amounts(now == nullptr ? "" : *now, between, said));
  };
  offer("--max-pods", "kubelet.maxPods", number(kubelet.max_pods));
  offer("--pods-per-core", "kubelet.podsPerCore", number(kubelet.pods_per_core));
  offer_merged("--kube-reserved", "kubelet.kubeReserved", kubelet.kube_reserved, '=');
  offer_merged("--system-reserved", "kubelet.systemReserved", kubelet.system_reserved, '=');
  offer_merged("--eviction-hard", "kubelet.evictionHard", kubelet.eviction_hard, '<');
  offer("--eviction-soft", "kubelet.evictionSoft", pairs_of(kubelet.eviction_soft, '<'));
  std::map<std::string, std::string> grace;
  for (const auto& [signal, period] : kubelet.eviction_soft_grace_period)
    grace[signal] = format_go_duration(parse_go_duration(period).value_or(0ns));
  offer("--eviction-soft-grace-period", "kubelet.evictionSoftGracePeriod", pairs_of(grace, '='));
  offer("--eviction-max-pod-grace-period", "kubelet.evictionMaxPodGracePeriod",
        number(kubelet.eviction_max_pod_grace_period));
  offer("--image-gc-high-threshold", "kubelet.imageGCHighThresholdPercent",
        number(kubelet.image_gc_high_threshold_percent));
  offer("--image-gc-low-threshold", "kubelet.imageGCLowThresholdPercent",
        number(kubelet.image_gc_low_threshold_percent));
  if (kubelet.cpu_cfs_quota) offer("--cpu-cfs-quota", "kubelet.cpuCFSQuota", *kubelet.cpu_cfs_quota ? "true" : "false");
}

// The kubelet settings of the class: the fields that the user set (`wanted` is kNodeClass), or those that the API
// filled in (kHardcoded), which every other source overrides.
void apply_node_class(ValueMap& flags, const NodeClass& node_class, Source wanted, bool all) {
  const KubeletSettings& kubelet = *node_class.kubelet;
  const auto offer = [&](std::string_view flag, std::string_view where, const std::optional<std::string>& value) {
    if (value && node_class.source_of(where.substr(sizeof("spec.") - 1)) == wanted)
      flags.offer(flag, wanted, wanted == Source::kNodeClass ? where : "the node class's default", *value);
  };
  const auto number = [](const auto& value) {
    return value ? std::optional<std::string>(std::to_string(*value)) : std::nullopt;
  };
  const auto truth = [](const std::optional<bool>& value) {
    return value ? std::optional<std::string>(*value ? "true" : "false") : std::nullopt;
  };
  offer("--cpu-manager-policy", "spec.kubelet.cpuManagerPolicy", kubelet.cpu_manager_policy);
  offer("--cpu-cfs-quota", "spec.kubelet.cpuCFSQuota", truth(kubelet.cpu_cfs_quota));
  offer("--image-gc-high-threshold", "spec.kubelet.imageGCHighThresholdPercent",
        number(kubelet.image_gc_high_threshold_percent));
  offer("--image-gc-low-threshold", "spec.kubelet.imageGCLowThresholdPercent",
        number(kubelet.image_gc_low_threshold_percent));
  offer("--topology-manager-policy", "spec.kubelet.topologyManagerPolicy", kubelet.topology_manager_policy);
  if (!kubelet.allowed_unsafe_sysctls.empty())
    offer("--allowed-unsafe-sysctls", "spec.kubelet.allowedUnsafeSysctls", joined(kubelet.allowed_unsafe_sysctls, ","));
  offer("--container-log-max-size", "spec.kubelet.containerLogMaxSize", kubelet.container_log_max_size);
  offer("--container-log-max-files", "spec.kubelet.containerLogMaxFiles", number(kubelet.container_log_max_files));
  if (kubelet.pod_pids_limit)  // every negative number means no limit, for which kubelet accepts only -1
    offer("--pod-max-pids", "spec.kubelet.podPidsLimit",
          std::to_string(std::max<int64_t>(*kubelet.pod_pids_limit, -1)));
  if (!all) return;
  offer("--fail-swap-on", "spec.kubelet.failSwapOn", truth(kubelet.fail_swap_on));
  const auto period = parse_go_duration(kubelet.cpu_cfs_quota_period.value_or("0")).value_or(0ns);
  if (period != 0ns)  // 0s means not set
    offer("--cpu-cfs-quota-period", "spec.kubelet.cpuCFSQuotaPeriod", format_go_duration(period));
}

// The maximum number of pods on an AKS node. With Azure CNI without overlay, each uses an address of the NIC.
constexpr int kMaxPods = 250;

std::string described(std::string_view flag, const Value<std::string>& value) {
  return fmt::format("{} {} from {}", flag, *value, in_words(value.origin()));
}

// Kubelet starts to remove images at the high threshold and stops at the low one, which must be smaller.
std::optional<Error> refuse_thresholds(const ValueMap& flags) {
  constexpr std::string_view kHigh = "--image-gc-high-threshold";
  constexpr std::string_view kLow = "--image-gc-low-threshold";
  const Value<std::string>* high = flags.value(kHigh);
  const Value<std::string>* low = flags.value(kLow);
  if (high == nullptr || low == nullptr) return std::nullopt;
  if (as_integer(**high).value_or(0) > as_integer(**low).value_or(0)) return std::nullopt;
  return Error(fmt::format("kubelet does not start with {} and {}: the first must be above the second",
                           described(kHigh, *high), described(kLow, *low)))
      .with_hint("set imageGCHighThresholdPercent and imageGCLowThresholdPercent together");
}

std::optional<Error> refuse_pods(const ValueMap& flags) {
  constexpr std::string_view kFlag = "--max-pods";
  const Value<std::string>* pods = flags.value(kFlag);
  if (pods == nullptr || as_integer(**pods).value_or(0) <= kMaxPods) return std::nullopt;
  return Error(fmt::format("{} is more than the {} pods that a node can run", described(kFlag, *pods), kMaxPods));
}

}  // namespace

int max_pods(const Settings& settings, const NodePool* pool, const NodeClass& node_class) {
  if (node_class.max_pods) return *node_class.max_pods;
  if (pool != nullptr && pool->kubelet && pool->kubelet->max_pods) return *pool->kubelet->max_pods;
  int number = 0;
  const std::string_view text = max_pods_by_network(settings).second;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

std::optional<Error> refuse_spaced_flags(const ValueMap& flags) {
  std::optional<Error> refusal;
  flags.each_own([&](const std::string& flag, const Value<std::string>& value) {
    const bool spaced =
        std::any_of(value->begin(), value->end(), [](unsigned char c) { return c <= ' ' || c == 0x7f; });
    if (spaced && !refusal)
      refusal =
          Error(fmt::format("kubelet flag {} would contain white space or control characters; its value is from {}",
                            flag, in_words(value.origin())));
  });
  return refusal;
}

std::optional<Error> refuse_impossible_flags(const ValueMap& flags) {
  if (auto error = refuse_thresholds(flags)) return error;
  return refuse_pods(flags);
}

std::optional<Error> refuse_rival_taints(const NodeClaim& claim) {
  const auto place = [](const Taint& taint) {
    return std::pair<std::string_view, std::string_view>(taint.key, taint.effect);
  };
  const Taint unregistered = kUnregistered;
  std::map<std::pair<std::string_view, std::string_view>, const Taint*> all = {{place(unregistered), &unregistered}};
  for (const auto* taints : {&claim.taints, &claim.startup_taints})
    for (const Taint& taint : *taints) {
      const Taint& other = *all.try_emplace(place(taint), &taint).first->second;
      if (taint.value != other.value)
        return Error(fmt::format("taints {} and {} have the same key and effect; kubelet does not start with both",
                                 other.text(), taint.text()))
            .with_hint("leave one out of taints and startupTaints");
    }
  return std::nullopt;
}

std::string register_with_taints(const NodeClaim& claim) {
  std::set<Taint> all;
  std::string text;
  const auto add = [&](const Taint& taint) {
    if (all.insert(taint).second) text.append(text.empty() ? "" : ",").append(taint.text());
  };
  for (const auto* taints : {&claim.taints, &claim.startup_taints}) std::for_each(taints->begin(), taints->end(), add);
  add(kUnregistered);
  return text;
}

ValueMap kubelet_flags(const NodeKind& kind) {
  const bool all = kind.bootstrap == Bootstrap::kNodeConfig;  // scripts of the first generation do not set every flag
  ValueMap flags;
  for (const auto& [flag, value] : kBase) flags.offer(flag, Source::kHardcoded, "AKS base", std::string(value));
  apply_version(flags, Version::parse(*kind.kubernetes_version)->minor);

  const auto [where, max_pods] = max_pods_by_network(*kind.settings);
  flags.offer("--max-pods", Source::kComputed, where, std::string(max_pods));
  flags.offer("--system-reserved", Source::kHardcoded, "AKS base", "cpu=0,memory=0");
  flags.offer("--kube-reserved", Source::kComputed, "the instance type's vCPUs and memory",
              kube_reserved(kind.instance_type->cpus, kind.instance_type->memory_gib));
  flags.offer("--eviction-hard", Source::kHardcoded, "AKS base", "memory.available<750Mi");
  offer_history(flags.at("--cluster-dns"), kind.cluster_dns);

  if (kind.from_class->kubelet) apply_node_class(flags, *kind.from_class, Source::kHardcoded, all);
  if (kind.from_pool != nullptr && kind.from_pool->kubelet) {
    apply_pool(flags, *kind.from_pool->kubelet);
    if (!kind.from_pool->kubelet->cluster_dns.empty())
      flags.offer("--cluster-dns", Source::kNodePool, "kubelet.clusterDNS",
                  joined(kind.from_pool->kubelet->cluster_dns, ","));
  }
  if (kind.from_class->max_pods)
    flags.offer("--max-pods", Source::kNodeClass, "spec.maxPods", std::to_string(*kind.from_class->max_pods));
  if (kind.from_class->kubelet) apply_node_class(flags, *kind.from_class, Source::kNodeClass, all);
  return flags;
}

}  // namespace sunup::fleet

#include "fleet/resolve/kubelet_flags.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <set>
#include <utility>

#include "base/duration.h"
#include "base/node_paths.h"
#include "base/text.h"
#include "base/version_changes.h"
#include "contract/formats.h"
#include "contract/kubelet_settings.h"
#include "fleet/resolve/node_hardening.h"
#include "fleet/resolve/node_reserve.h"

namespace sunup::fleet {
namespace {

using namespace std::chrono_literals;

const Taint kUnregistered{"karpenter.sh/unregistered", "", "NoExecute"};

std::string pairs_of(const std::map<std::string, std::string>& map, char between) {
  std::string text;
  for (const auto& [key, value] : map) {
    if (!text.empty()) text += ',';
    text.append(key).append(1, between).append(value);
  }
  return text;
}

void apply_version(ValueMap& flags, uint64_t minor) {
  constexpr std::string_view kWhere = "the Kubernetes version";
  if (minor < versions::kNoTerminatedVolumes.minor)
    flags.offer("--keep-terminated-pod-volumes", Source::kComputed, kWhere, "false");
  if (minor >= versions::kCredentialProvider.minor) {
    flags.offer("--image-credential-provider-config", Source::kComputed, kWhere, paths::kCredentialProviderConfig);
    flags.offer("--image-credential-provider-bin-dir", Source::kComputed, kWhere,
                "/var/lib/kubelet/credential-provider");
  } else {
    if (minor >= versions::kCredentialGate.minor)  // an older kubelet does not start with the gate
      flags.offer("--feature-gates", Source::kComputed, kWhere, "DisableKubeletCloudCredentialProviders=false");
    flags.offer("--azure-container-registry-config", Source::kComputed, kWhere, paths::kAzureJson);
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
  const auto offer = [&flags](std::string_view flag, std::string value) {
    if (!value.empty())
      flags.offer(flag, Source::kNodePool, contract::find_kubelet_row(flag)->pool_field, std::move(value));
  };
  const auto number = [](const std::optional<int>& value) { return value ? std::to_string(*value) : std::string(); };
  // A value of the pool for one resource leaves the defaults of the others unchanged.
  const auto offer_merged = [&](std::string_view flag, const std::map<std::string, std::string>& said, char between) {
    const std::string* now = flags.find(flag);
    if (!said.empty()) offer(flag, with_amounts(now == nullptr ? "" : *now, between, said));
  };
  offer("--max-pods", number(kubelet.max_pods));
  offer("--pods-per-core", number(kubelet.pods_per_core));
  offer_merged("--kube-reserved", kubelet.kube_reserved, '=');
  offer_merged("--system-reserved", kubelet.system_reserved, '=');
  offer_merged("--eviction-hard", kubelet.eviction_hard, '<');
  offer("--eviction-soft", pairs_of(kubelet.eviction_soft, '<'));
  std::map<std::string, std::string> grace;
  for (const auto& [signal, period] : kubelet.eviction_soft_grace_period)
    grace[signal] = format_go_duration(parse_go_duration(period).value_or(0ns));
  offer("--eviction-soft-grace-period", pairs_of(grace, '='));
  offer("--eviction-max-pod-grace-period", number(kubelet.eviction_max_pod_grace_period));
  offer("--image-gc-high-threshold", number(kubelet.image_gc_high_threshold_percent));
  offer("--image-gc-low-threshold", number(kubelet.image_gc_low_threshold_percent));
  if (kubelet.cpu_cfs_quota) offer("--cpu-cfs-quota", *kubelet.cpu_cfs_quota ? "true" : "false");
}

// The kubelet settings of the class: the fields that the user set (`wanted` is kNodeClass), or those that the API
// filled in (kHardcoded), which every other source overrides.
void apply_node_class(ValueMap& flags, const NodeClass& node_class, Source wanted, bool all) {
  const KubeletSettings& kubelet = *node_class.kubelet;
  const auto offer = [&](std::string_view flag, const std::optional<std::string>& value) {
    const std::string_view where = contract::find_kubelet_row(flag)->class_field;
    if (value && node_class.source_of(where.substr(sizeof("spec.") - 1)) == wanted)
      flags.offer(flag, wanted, wanted == Source::kNodeClass ? where : "the node class's default", *value);
  };
  const auto number = [](const auto& value) {
    return value ? std::optional<std::string>(std::to_string(*value)) : std::nullopt;
  };
  const auto truth = [](const std::optional<bool>& value) {
    return value ? std::optional<std::string>(*value ? "true" : "false") : std::nullopt;
  };
  offer("--cpu-manager-policy", kubelet.cpu_manager_policy);
  offer("--cpu-cfs-quota", truth(kubelet.cpu_cfs_quota));
  offer("--image-gc-high-threshold", number(kubelet.image_gc_high_threshold_percent));
  offer("--image-gc-low-threshold", number(kubelet.image_gc_low_threshold_percent));
  offer("--topology-manager-policy", kubelet.topology_manager_policy);
  if (!kubelet.allowed_unsafe_sysctls.empty())
    offer("--allowed-unsafe-sysctls", joined(kubelet.allowed_unsafe_sysctls, ","));
  offer("--container-log-max-size", kubelet.container_log_max_size);
  offer("--container-log-max-files", number(kubelet.container_log_max_files));
  if (kubelet.pod_pids_limit)  // every negative number means no limit, for which kubelet accepts only -1
    offer("--pod-max-pids", std::to_string(std::max<int64_t>(*kubelet.pod_pids_limit, -1)));
  if (!all) return;
  offer("--fail-swap-on", truth(kubelet.fail_swap_on));
  const auto period = parse_go_duration(kubelet.cpu_cfs_quota_period.value_or("0")).value_or(0ns);
  if (period != 0ns)  // 0s means not set
    offer("--cpu-cfs-quota-period", format_go_duration(period));
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
  if (as_number<int64_t>(**high).value_or(0) > as_number<int64_t>(**low).value_or(0)) return std::nullopt;
  return Error(fmt::format("kubelet does not start with {} and {}: the first must be above the second",
                           described(kHigh, *high), described(kLow, *low)))
      .with_hint("set imageGCHighThresholdPercent and imageGCLowThresholdPercent together");
}

std::optional<Error> refuse_pods(const ValueMap& flags) {
  constexpr std::string_view kFlag = "--max-pods";
  const Value<std::string>* pods = flags.value(kFlag);
  if (pods == nullptr || as_number<int64_t>(**pods).value_or(0) <= kMaxPods) return std::nullopt;
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
  const uint64_t minor = Version::parse(*kind.kubernetes_version)->minor;
  for (const contract::KubeletRow& row : contract::kubelet_settings())
    if (!row.aks_default.empty() && row.exists_in(minor))
      flags.offer(row.flag, Source::kHardcoded, "AKS base", std::string(row.aks_default));
  apply_version(flags, minor);

  const auto [where, max_pods] = max_pods_by_network(*kind.settings);
  flags.offer("--max-pods", Source::kComputed, where, std::string(max_pods));
  flags.offer("--system-reserved", Source::kHardcoded, "AKS base", "cpu=0,memory=0");
  flags.offer("--kube-reserved", Source::kComputed, "the instance type's vCPUs and memory",
              kube_reserved(kind.instance_type->cpus, kind.instance_type->memory_gib));
  flags.offer("--eviction-hard", Source::kHardcoded, "AKS base", "memory.available<750Mi");
  if (is_hardened(*kind.settings))
    offer_hardened_flags(flags,
                         hardened_memory(*kind.settings, kind.instance_type->memory_gib,
                                         fleet::max_pods(*kind.settings, kind.from_pool, *kind.from_class)),
                         kube_reserved_millicores(kind.instance_type->cpus));
  offer_history(flags.at("--cluster-dns"), kind.cluster_dns);

  if (kind.from_class->kubelet) apply_node_class(flags, *kind.from_class, Source::kHardcoded, all);
  if (kind.from_pool != nullptr && kind.from_pool->kubelet) {
    apply_pool(flags, *kind.from_pool->kubelet);
    if (!kind.from_pool->kubelet->cluster_dns.empty())
      flags.offer("--cluster-dns", Source::kNodePool, contract::find_kubelet_row("--cluster-dns")->pool_field,
                  joined(kind.from_pool->kubelet->cluster_dns, ","));
  }
  if (kind.from_class->max_pods)
    flags.offer("--max-pods", Source::kNodeClass, "spec.maxPods", std::to_string(*kind.from_class->max_pods));
  if (kind.from_class->kubelet) apply_node_class(flags, *kind.from_class, Source::kNodeClass, all);
  return flags;
}

}  // namespace sunup::fleet

#include "contract/kubelet_flag_values.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <iterator>
#include <limits>
#include <vector>

#include "base/text.h"
#include "contract/formats.h"
#include "contract/nearest.h"

namespace sunup::contract {
namespace {

enum class Takes {
  kText,
  kBool,
  kInteger,
  kDuration,
  kQuantity,
  kOneOf,
  kListOf,
  kAddress,
  kAddresses,
  kThresholds,    // memory.available<750Mi,nodefs.available<10%
  kReclaim,       // memory.available=500Mi
  kGracePeriods,  // memory.available=1m30s
  kReserved,      // cpu=100m,memory=1638Mi
  kCpus,          // 0-1,8
  kOptions,       // full-pcpus-only=true
  kHeaders,       // a:b,c:d
  kModules,       // kubelet=4,volume*=2
  kMemory,        // 0:memory=1Gi,hugepages-2Mi=1Gi;1:memory=1Gi
};

constexpr int64_t kMost = std::numeric_limits<int32_t>::max();

struct KubeletFlag {
  std::string_view name;
  Takes takes = Takes::kText;
  std::string_view choices = {};  // "none|static"
  int64_t min = 0;
  int64_t max = kMost;
  KubeletFlagLife life = {};
};

constexpr KubeletFlag number(std::string_view name, int64_t min = 0, int64_t max = kMost) {
  return {name, Takes::kInteger, {}, min, max};
}

constexpr KubeletFlag since(uint64_t minor, KubeletFlag flag) {
  flag.life.since = minor;
  return flag;
}

constexpr KubeletFlag gone_in(uint64_t minor, KubeletFlag flag) {
  flag.life.gone = minor;
  return flag;
}

// Names and versions are those of the sources of Kubernetes 1.11 to 1.36 (cmd/kubelet/app/options,
// component-base/logs); tests/contract/kubelet_flags_test.py compares them with kubelets.
constexpr KubeletFlag kFlags[] = {
    gone_in(26, {"--add-dir-header", Takes::kBool}),
    {"--address", Takes::kAddress},
    gone_in(15, {"--allow-privileged", Takes::kBool}),
    {"--allowed-unsafe-sysctls"},
    gone_in(26, {"--alsologtostderr", Takes::kBool}),
    {"--anonymous-auth", Takes::kBool},
    number("--application-metrics-count-limit"),
    {"--authentication-token-webhook", Takes::kBool},
    {"--authentication-token-webhook-cache-ttl", Takes::kDuration},
    {"--authorization-mode", Takes::kOneOf, "AlwaysAllow|Webhook"},
    {"--authorization-webhook-cache-authorized-ttl", Takes::kDuration},
    {"--authorization-webhook-cache-unauthorized-ttl", Takes::kDuration},
    {"--azure-container-registry-config"},
    {"--boot-id-file"},
    gone_in(19, {"--bootstrap-checkpoint-path"}),
    {"--bootstrap-kubeconfig"},
    gone_in(12, number("--cadvisor-port", 0, 65535)),
    {"--cert-dir"},
    {"--cgroup-driver", Takes::kOneOf, "cgroupfs|systemd"},
    {"--cgroup-root"},
    {"--cgroups-per-qos", Takes::kBool},
    gone_in(22, {"--chaos-chance"}),
    {"--client-ca-file"},
    gone_in(34, {"--cloud-config"}),
    {"--cloud-provider"},
    {"--cluster-dns", Takes::kAddresses},
    {"--cluster-domain"},
    gone_in(24, {"--cni-bin-dir"}),
    since(16, gone_in(24, {"--cni-cache-dir"})),
    gone_in(24, {"--cni-conf-dir"}),
    {"--config"},
    since(28, {"--config-dir"}),
    {"--container-hints"},
    number("--container-log-max-files", 2),
    {"--container-log-max-size", Takes::kQuantity},
    gone_in(27, {"--container-runtime", Takes::kOneOf, "docker|remote"}),
    {"--container-runtime-endpoint"},
    {"--containerd"},
    since(20, {"--containerd-namespace"}),
    gone_in(16, {"--containerized", Takes::kBool}),
    {"--contention-profiling", Takes::kBool},
    {"--cpu-cfs-quota", Takes::kBool},
    {"--cpu-cfs-quota-period", Takes::kDuration},
    {"--cpu-manager-policy", Takes::kOneOf, "none|static"},
    since(22, {"--cpu-manager-policy-options", Takes::kOptions}),
    {"--cpu-manager-reconcile-period", Takes::kDuration},
    gone_in(24, {"--docker"}),
    gone_in(24, {"--docker-endpoint"}),
    gone_in(24, {"--docker-env-metadata-whitelist"}),
    gone_in(24, {"--docker-only", Takes::kBool}),
    gone_in(24, {"--docker-root"}),
    gone_in(24, {"--docker-tls", Takes::kBool}),
    gone_in(24, {"--docker-tls-ca"}),
    gone_in(24, {"--docker-tls-cert"}),
    gone_in(24, {"--docker-tls-key"}),
    gone_in(24, {"--dynamic-config-dir"}),
    gone_in(21, {"--enable-cadvisor-json-endpoints", Takes::kBool}),
    {"--enable-controller-attach-detach", Takes::kBool},
    {"--enable-debugging-handlers", Takes::kBool},
    {"--enable-load-reader", Takes::kBool},
    {"--enable-server", Takes::kBool},
    {"--enforce-node-allocatable", Takes::kListOf,
     "none|pods|system-reserved|kube-reserved|system-reserved-compressible|kube-reserved-compressible"},
    number("--event-burst"),
    number("--event-qps"),
    {"--event-storage-age-limit"},
    {"--event-storage-event-limit"},
    {"--eviction-hard", Takes::kThresholds},
    number("--eviction-max-pod-grace-period", -1),
    {"--eviction-minimum-reclaim", Takes::kReclaim},
    {"--eviction-pressure-transition-period", Takes::kDuration},
    {"--eviction-soft", Takes::kThresholds},
    {"--eviction-soft-grace-period", Takes::kGracePeriods},
    {"--exit-on-lock-contention", Takes::kBool},
    {"--experimental-allocatable-ignore-eviction", Takes::kBool},
    gone_in(23, {"--experimental-bootstrap-kubeconfig"}),
    gone_in(24, {"--experimental-check-node-capabilities-before-mount", Takes::kBool}),
    gone_in(19, {"--experimental-dockershim", Takes::kBool}),
    gone_in(24, {"--experimental-dockershim-root-directory"}),
    gone_in(25, {"--experimental-kernel-memcg-notification", Takes::kBool}),
    since(20, gone_in(24, {"--experimental-logging-sanitization", Takes::kBool})),
    {"--experimental-mounter-path"},
    since(31, {"--fail-cgroupv1", Takes::kBool}),
    {"--fail-swap-on", Takes::kBool},
    {"--feature-gates"},
    {"--file-check-frequency", Takes::kDuration},
    {"--global-housekeeping-interval", Takes::kDuration},
    {"--hairpin-mode", Takes::kOneOf, "promiscuous-bridge|hairpin-veth|none"},
    {"--healthz-bind-address", Takes::kAddress},
    number("--healthz-port", 0, 65535),
    {"--hostname-override"},
    {"--housekeeping-interval", Takes::kDuration},
    {"--http-check-frequency", Takes::kDuration},
    since(20, {"--image-credential-provider-bin-dir"}),
    since(20, {"--image-credential-provider-config"}),
    number("--image-gc-high-threshold", 0, 100),
    number("--image-gc-low-threshold", 0, 100),
    gone_in(24, {"--image-pull-progress-deadline", Takes::kDuration}),
    {"--image-service-endpoint"},
    gone_in(31, number("--iptables-drop-bit", 0, 31)),
    gone_in(31, number("--iptables-masquerade-bit", 0, 31)),
    gone_in(31, {"--keep-terminated-pod-volumes", Takes::kBool}),
    since(19, {"--kernel-memcg-notification", Takes::kBool}),
    number("--kube-api-burst"),
    {"--kube-api-content-type"},
    number("--kube-api-qps", -1),
    {"--kube-reserved", Takes::kReserved},
    {"--kube-reserved-cgroup"},
    {"--kubeconfig"},
    {"--kubelet-cgroups"},
    since(25, {"--local-storage-capacity-isolation", Takes::kBool}),
    {"--lock-file"},
    gone_in(26, {"--log-backtrace-at"}),
    {"--log-cadvisor-usage", Takes::kBool},
    gone_in(26, {"--log-dir"}),
    gone_in(26, {"--log-file"}),
    gone_in(26, number("--log-file-max-size")),
    {"--log-flush-frequency", Takes::kDuration},
    since(23, {"--log-json-info-buffer-size", Takes::kQuantity}),
    since(23, {"--log-json-split-stream", Takes::kBool}),
    since(30, {"--log-text-info-buffer-size", Takes::kQuantity}),
    since(30, {"--log-text-split-stream", Takes::kBool}),
    since(19, {"--logging-format", Takes::kOneOf, "text|json"}),
    gone_in(26, {"--logtostderr", Takes::kBool}),
    {"--machine-id-file"},
    {"--make-iptables-util-chains", Takes::kBool},
    {"--manifest-url"},
    {"--manifest-url-header", Takes::kHeaders},
    gone_in(27, {"--master-service-namespace"}),
    number("--max-open-files"),
    number("--max-pods"),
    number("--maximum-dead-containers", -1),
    number("--maximum-dead-containers-per-container", -1),
    since(21, {"--memory-manager-policy", Takes::kOneOf, "None|Static"}),
    {"--minimum-container-ttl-duration", Takes::kDuration},
    {"--minimum-image-ttl-duration", Takes::kDuration},
    gone_in(24, {"--network-plugin"}),
    gone_in(24, number("--network-plugin-mtu")),
    {"--node-ip"},
    {"--node-labels"},
    number("--node-status-max-images", -1),
    {"--node-status-update-frequency", Takes::kDuration},
    gone_in(24, {"--non-masquerade-cidr"}),
    gone_in(26, {"--one-output", Takes::kBool}),
    number("--oom-score-adj", -1000, 1000),
    {"--pod-cidr"},
    gone_in(35, {"--pod-infra-container-image"}),
    {"--pod-manifest-path"},
    number("--pod-max-pids", -1, std::numeric_limits<int64_t>::max()),
    number("--pods-per-core"),
    number("--port", 1, 65535),
    {"--protect-kernel-defaults", Takes::kBool},
    {"--provider-id"},
    {"--qos-reserved", Takes::kOptions},
    number("--read-only-port", 0, 65535),
    gone_in(24, {"--really-crash-for-testing", Takes::kBool}),
    gone_in(20, {"--redirect-container-streaming", Takes::kBool}),
    {"--register-node", Takes::kBool},
    gone_in(34, {"--register-schedulable", Takes::kBool}),
    {"--register-with-taints"},
    number("--registry-burst"),
    number("--registry-qps"),
    since(17, {"--reserved-cpus", Takes::kCpus}),
    since(21, {"--reserved-memory", Takes::kMemory}),
    {"--resolv-conf"},
    {"--root-dir"},
    {"--rotate-certificates", Takes::kBool},
    {"--rotate-server-certificates", Takes::kBool},
    {"--runonce", Takes::kBool},
    {"--runtime-cgroups"},
    {"--runtime-request-timeout", Takes::kDuration},
    since(22, {"--seccomp-default", Takes::kBool}),
    gone_in(23, {"--seccomp-profile-root"}),
    {"--serialize-image-pulls", Takes::kBool},
    gone_in(26, {"--skip-headers", Takes::kBool}),
    gone_in(26, {"--skip-log-headers", Takes::kBool}),
    gone_in(26, {"--stderrthreshold"}),
    {"--storage-driver-buffer-duration", Takes::kDuration},
    {"--storage-driver-db"},
    {"--storage-driver-host"},
    {"--storage-driver-password"},
    {"--storage-driver-secure", Takes::kBool},
    {"--storage-driver-table"},
    {"--storage-driver-user"},
    {"--streaming-connection-idle-timeout", Takes::kDuration},
    {"--sync-frequency", Takes::kDuration},
    {"--system-cgroups"},
    {"--system-reserved", Takes::kReserved},
    {"--system-reserved-cgroup"},
    {"--tls-cert-file"},
    {"--tls-cipher-suites"},
    {"--tls-min-version", Takes::kOneOf, "VersionTLS10|VersionTLS11|VersionTLS12|VersionTLS13"},
    {"--tls-private-key-file"},
    since(16, {"--topology-manager-policy", Takes::kOneOf, "none|best-effort|restricted|single-numa-node"}),
    since(26, {"--topology-manager-policy-options", Takes::kOptions}),
    since(20, {"--topology-manager-scope", Takes::kOneOf, "container|pod"}),
    number("--v"),
    {"--version"},
    {"--vmodule", Takes::kModules},
    {"--volume-plugin-dir"},
    {"--volume-stats-agg-period", Takes::kDuration},
};

const KubeletFlag* find(std::string_view name) {
  const auto it = std::ranges::find(kFlags, name, &KubeletFlag::name);
  return it == std::end(kFlags) ? nullptr : it;
}

bool is_one_of(std::string_view choices, std::string_view value) {
  const auto all = split(choices, '|');
  return std::ranges::find(all, value) != all.end();
}

constexpr std::string_view kSignals =
    "memory.available|nodefs.available|nodefs.inodesFree|imagefs.available|imagefs.inodesFree|containerfs.available|"
    "containerfs.inodesFree|allocatableMemory.available|pid.available";

bool is_amount(std::string_view text) {
  return is_quantity(text) && !text.starts_with('-');
}

// The number before the '%'; nothing if there is no such sign, or no plain number.
std::optional<double> as_percent(std::string_view text) {
  if (!text.ends_with('%')) return std::nullopt;
  const std::string digits(text.substr(0, text.size() - 1));
  if (digits.empty() || digits.find_first_not_of("0123456789.") != digits.npos) return std::nullopt;
  char* end = nullptr;
  const double percent = std::strtod(digits.c_str(), &end);
  return *end == '\0' ? std::optional(percent) : std::nullopt;
}

// What kubelet frees at least: other than a threshold it may be nothing, and more than all.
bool is_reclaim(std::string_view text) {
  const auto percent = as_percent(text);
  return percent ? *percent > 0 : is_amount(text);
}

// "0-3,5"
bool is_cpu_list(std::string_view text) {
  return std::ranges::all_of(split(text, ','), [](std::string_view range) {
    const size_t dash = range.find('-');
    const auto first = as_integer(range.substr(0, dash));
    const auto last = dash == range.npos ? first : as_integer(range.substr(dash + 1));
    return first && last && *first >= 0 && *first <= *last;
  });
}

// "name<value,name<value": every name one of the known ones, every value of the form asked for.
bool all_pairs(std::string_view text, char between, std::string_view names, bool (*fits)(std::string_view)) {
  for (const std::string_view pair : split_entries(text)) {
    const size_t at = pair.find(between);
    if (at == pair.npos || !is_one_of(names, pair.substr(0, at)) || !fits(pair.substr(at + 1))) return false;
  }
  return true;
}

bool all_have(std::string_view text, char between) {
  return std::ranges::all_of(split_entries(text), [&](auto entry) { return entry.find(between) != entry.npos; });
}

bool is_module_list(std::string_view text) {
  return std::ranges::all_of(split_entries(text), [](std::string_view entry) {
    const auto parts = split(entry, '=');
    const auto level = parts.size() == 2 && !parts[0].empty() ? as_integer(parts[1]) : std::nullopt;
    return level && *level >= 0;
  });
}

bool is_memory_of_nodes(std::string_view text) {
  return std::ranges::all_of(split(text, ';'), [](std::string_view reservation) {
    const auto parts = split(reservation, ':');
    if (parts.size() != 2 || !as_integer(parts[0])) return false;
    return std::ranges::all_of(split(parts[1], ','), [](std::string_view limit) {
      const auto pair = split(limit, '=');
      return pair.size() == 2 && (pair[0] == "memory" || pair[0].starts_with("hugepages-")) && is_quantity(pair[1]);
    });
  });
}

bool fits(const KubeletFlag& flag, std::string_view value) {
  switch (flag.takes) {
    case Takes::kText:
      return true;
    case Takes::kBool:
      return as_go_bool(value).has_value();
    case Takes::kInteger: {
      const auto integer = as_integer(value);
      return integer && *integer >= flag.min && *integer <= flag.max;
    }
    case Takes::kDuration:
      return is_go_duration(value);
    case Takes::kQuantity:
      return is_quantity(value);
    case Takes::kOneOf:
      return is_one_of(flag.choices, value);
    case Takes::kListOf:
      return std::ranges::all_of(split(value, ','), [&](auto item) { return is_one_of(flag.choices, item); });
    case Takes::kAddress:
      return is_ip(value);
    case Takes::kAddresses:
      return std::ranges::all_of(split(value, ','), is_ip);
    case Takes::kThresholds:
      return all_pairs(value, '<', kSignals, is_eviction_threshold);
    case Takes::kReclaim:
      return all_pairs(value, '=', kSignals, is_reclaim);
    case Takes::kGracePeriods:
      return all_pairs(value, '=', kSignals, is_go_duration);
    case Takes::kReserved:
      return all_pairs(value, '=', "cpu|memory|ephemeral-storage|pid", is_amount);
    case Takes::kCpus:
      return is_cpu_list(value);
    case Takes::kOptions:
      return !value.empty() && all_have(value, '=');
    case Takes::kHeaders:
      return all_have(value, ':');
    case Takes::kModules:
      return is_module_list(value);
    case Takes::kMemory:
      return is_memory_of_nodes(value);
  }
  return true;
}

// Kubelet takes an empty list as none at all; everything else it cannot read when nothing is there.
bool may_be_empty(const KubeletFlag& flag) {
  switch (flag.takes) {
    case Takes::kText:
    case Takes::kListOf:
    case Takes::kAddresses:
    case Takes::kThresholds:
    case Takes::kReclaim:
    case Takes::kGracePeriods:
    case Takes::kReserved:
    case Takes::kCpus:
    case Takes::kHeaders:
    case Takes::kModules:
    case Takes::kMemory:
      return true;
    case Takes::kOptions:
      return flag.name != "--cpu-manager-policy-options";
    default:
      return flag.name == "--container-log-max-size" || flag.name == "--tls-min-version";
  }
}

std::string choices_text(std::string_view choices) {
  std::string text;
  for (const std::string_view one : split(choices, '|')) text += (text.empty() ? "" : ", ") + std::string(one);
  return text;
}

std::string range_text(const KubeletFlag& flag) {
  const std::string from = "a whole number from " + std::to_string(flag.min);
  return flag.max >= kMost ? from + " up" : from + " to " + std::to_string(flag.max);
}

std::string takes_text(const KubeletFlag& flag) {
  switch (flag.takes) {
    case Takes::kText:
      return "any text";
    case Takes::kBool:
      return "true or false";
    case Takes::kInteger:
      return range_text(flag);
    case Takes::kDuration:
      return "a duration such as 10s or 1m30s";
    case Takes::kQuantity:
      return "a quantity such as 50Mi";
    case Takes::kOneOf:
      return "one of " + choices_text(flag.choices);
    case Takes::kListOf:
      return "any of " + choices_text(flag.choices) + ", with commas between";
    case Takes::kAddress:
      return "an IP address";
    case Takes::kAddresses:
      return "IP addresses with commas between";
    case Takes::kThresholds:
      return "signals with their thresholds, such as memory.available<750Mi,nodefs.available<10%";
    case Takes::kReclaim:
      return "signals with amounts, such as memory.available=500Mi";
    case Takes::kGracePeriods:
      return "signals with durations, such as memory.available=1m30s";
    case Takes::kReserved:
      return "amounts of cpu, memory, ephemeral-storage and pid, such as cpu=100m,memory=1638Mi";
    case Takes::kCpus:
      return "numbers of processors, such as 0-1,8";
    case Takes::kOptions:
      return "names with values, such as full-pcpus-only=true";
    case Takes::kHeaders:
      return "names with values, such as a:b,c:d";
    case Takes::kModules:
      return "patterns with levels, such as kubelet=4";
    case Takes::kMemory:
      return "NUMA nodes with amounts, such as 0:memory=1Gi;1:memory=1Gi";
  }
  return "";
}

}  // namespace

bool is_eviction_signal(std::string_view text) {
  return is_one_of(kSignals, text);
}

bool is_eviction_threshold(std::string_view text) {
  const auto percent = as_percent(text);
  return percent ? *percent <= 100 : is_positive_quantity(text);
}

std::optional<bool> as_go_bool(std::string_view text) {
  if (is_one_of("true|1|t|T|TRUE|True", text)) return true;
  if (is_one_of("false|0|f|F|FALSE|False", text)) return false;
  return std::nullopt;
}

bool is_kubelet_flag(std::string_view flag) {
  return find(flag) != nullptr;
}

KubeletFlagLife kubelet_flag_life(std::string_view flag) {
  const KubeletFlag* known = find(flag);
  return known == nullptr ? KubeletFlagLife() : known->life;
}

std::vector<std::string_view> kubelet_flags() {
  std::vector<std::string_view> names;
  for (const KubeletFlag& known : kFlags) names.push_back(known.name);
  return names;
}

std::optional<std::string> nearest_kubelet_flag(std::string_view flag) {
  return nearest(flag, kubelet_flags());
}

std::optional<std::string> kubelet_flag_takes(std::string_view flag, std::string_view value) {
  const KubeletFlag* known = find(flag);
  if (known == nullptr || (value.empty() && may_be_empty(*known)) || fits(*known, value)) return std::nullopt;
  return takes_text(*known);
}

}  // namespace sunup::contract

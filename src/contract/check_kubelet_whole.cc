// Rules for kubelet's effective settings (flags take precedence over the config file): combinations that kubelet's own
// validation rejects, and settings with which a healthy kubelet never joins.
#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/node_paths.h"
#include "base/text.h"
#include "base/version_changes.h"
#include "contract/formats.h"
#include "contract/judge.h"
#include "contract/kubelet_flag_values.h"
#include "contract/kubelet_flags.h"
#include "contract/quoted_excerpt.h"

namespace sunup::contract {
namespace {

std::string value_of(const Judge& judge, std::string_view flag) {
  const auto setting = kubelet_setting(judge.config, flag);
  return setting ? setting->value : "";
}

// "cpu=100m,memory=1Gi" or "memory.available<10%,..." by name.
std::map<std::string, std::string> pairs(std::string_view text) {
  std::map<std::string, std::string> out;
  for (const std::string_view pair : split(text, ',')) {
    const size_t between = pair.find_first_of("=<");
    if (between != pair.npos) out.emplace(pair.substr(0, between), pair.substr(between + 1));
  }
  return out;
}

void eviction_grace(Judge& judge) {
  const auto soft = kubelet_setting(judge.config, "--eviction-soft");
  if (!soft) return;
  const auto periods = pairs(value_of(judge, "--eviction-soft-grace-period"));
  for (const auto& [signal, threshold] : pairs(soft->value)) {
    const bool dropped = threshold == "0%" || threshold == "100%";  // before its grace period is checked
    if (!dropped && !periods.contains(signal))
      judge.error(soft->from_file ? path_of_key(soft->path, signal) : soft->path,
                  "the soft threshold of " + quoted_excerpt(signal) + " needs its grace period",
                  soft->from_file ? "add it to eviction_soft_grace_period" : "add it to --eviction-soft-grace-period");
  }
}

void image_gc(Judge& judge) {
  const auto low = kubelet_setting(judge.config, "--image-gc-low-threshold");
  const auto high = kubelet_setting(judge.config, "--image-gc-high-threshold");
  const int64_t from = low ? as_number<int64_t>(low->value).value_or(80) : 80;
  const int64_t to = high ? as_number<int64_t>(high->value).value_or(85) : 85;
  if (from >= to)
    judge.error(low ? low->path : high->path,
                "the low threshold of image garbage collection must be below the high threshold: " +
                    std::to_string(from) + " is not below " + std::to_string(to),
                low && high ? "" : "the defaults are 80 and 85");
}

struct ReservedCgroup {
  const char* flag;
  std::string_view enforcement;  // prefix of the entry of enforceNodeAllocatable
  std::string slice;             // the only supported one
  bool on_request;               // the node creates it only if the config names it; otherwise it always exists
};

// The entry that makes kubelet enforce limits on the cgroup; empty if there is none.
std::string enforced_by(const Judge& judge, std::string_view enforcement) {
  const auto enforced = kubelet_setting(judge.config, "--enforce-node-allocatable");
  if (!enforced) return "";
  const auto starts = [&](const std::string& item) { return item.starts_with(enforcement); };
  const auto it = std::ranges::find_if(enforced->items, starts);
  return it == enforced->items.end() ? "" : *it;
}

void judge_cgroup(Judge& judge, const ReservedCgroup& cgroup) {
  const auto is_slice = [&](const std::string& name) { return name == cgroup.slice || name == "/" + cgroup.slice; };
  const auto given = [](const std::optional<KubeletSetting>& setting) { return setting && !setting->value.empty(); };
  // Kubelet uses flags and the file. The step that creates the slice uses only the file, if there is one.
  const auto& kubelet = judge.config.kubelet_config();
  const bool file = kubelet.enable_kubelet_config_file() && kubelet.has_kubelet_config_file_config();
  const auto used = kubelet_setting(judge.config, cgroup.flag);
  const auto made_by = file ? kubelet_file_setting(judge.config, cgroup.flag) : used;
  const std::string enforced = enforced_by(judge, cgroup.enforcement);

  if (given(made_by) && !is_slice(made_by->value))
    judge.error(made_by->path, quoted_excerpt(made_by->value) + " is not a cgroup that the node creates",
                "only \"/" + cgroup.slice + "\" is");
  if (!given(used)) {
    if (!enforced.empty())
      judge.error(path_for_kubelet_setting(judge.config, cgroup.flag), "enforcing " + enforced + " needs its cgroup",
                  "set /" + cgroup.slice);
    return;
  }
  if (!file || used->from_file) return;
  if (is_slice(used->value) && (!cgroup.on_request || (given(made_by) && is_slice(made_by->value)))) return;
  const std::string message = "the node creates only the slice that the config file names, and ignores this flag";
  const std::string hint = "name /" + cgroup.slice + " in the config file instead";
  if (enforced.empty())
    judge.warning(used->path, message, hint);
  else
    judge.error(used->path, message + ": kubelet exits, because the cgroup for " + enforced + " does not exist", hint);
}

void reserved_cgroup(Judge& judge) {
  judge_cgroup(judge, {"--kube-reserved-cgroup", "kube-reserved", "kubereserved.slice", true});
  judge_cgroup(judge, {"--system-reserved-cgroup", "system-reserved", "system.slice", false});
  const auto cpus = kubelet_setting(judge.config, "--reserved-cpus");
  const bool cgroups =
      !value_of(judge, "--kube-reserved-cgroup").empty() || !value_of(judge, "--system-reserved-cgroup").empty();
  if (cpus && !cpus->value.empty() && cgroups)
    judge.error(cpus->path, "kubelet accepts either --reserved-cpus or a reserved cgroup, and does not start with both",
                "leave one out");
}

void node_allocatable(Judge& judge) {
  const auto enforced = kubelet_setting(judge.config, "--enforce-node-allocatable");
  const auto items = enforced ? enforced->items : std::vector<std::string>{"pods"};
  if (items.size() > 1 && std::ranges::find(items, "none") != items.end())
    judge.error(enforced->path, "\"none\" cannot be combined with other values");
  const auto per_qos = kubelet_setting(judge.config, "--cgroups-per-qos");
  if (per_qos && as_go_bool(per_qos->value) == false && !items.empty()) {
    if (items == std::vector<std::string>{"none"})
      judge.warning(per_qos->path,
                    "without --cgroups-per-qos, older kubelets do not start even if \"none\" is enforced",
                    "leave it out");
    else
      judge.error(per_qos->path, "without --cgroups-per-qos, kubelet cannot enforce any limit and does not start",
                  "leave it out");
  }
  const auto policy = kubelet_setting(judge.config, "--cpu-manager-policy");
  if (!policy || policy->value != "static") return;
  const bool reserved = is_positive_quantity(pairs(value_of(judge, "--kube-reserved"))["cpu"]) ||
                        is_positive_quantity(pairs(value_of(judge, "--system-reserved"))["cpu"]) ||
                        !value_of(judge, "--reserved-cpus").empty();
  if (!reserved) judge.error(policy->path, "policy static needs a CPU reservation", "add cpu to kube_reserved");
}

// A name, or a prefix followed by '*'. A name that contains a slash first is in the form of /proc/sys.
bool is_sysctl_of_a_pod(std::string name) {
  if (name.find(',') != name.npos) return false;  // only in the config file: a flag is split at commas
  if (name.ends_with('*')) name.pop_back();
  if (const size_t first = name.find_first_of("./"); first != name.npos && name[first] == '/')
    std::ranges::replace(name, '/', '.');
  return name.starts_with("net.") || name.starts_with("kernel.shm") || name.starts_with("kernel.msg") ||
         name == "kernel.sem" || name.starts_with("fs.mqueue.");
}

void unsafe_sysctl(Judge& judge) {
  const auto setting = kubelet_setting(judge.config, "--allowed-unsafe-sysctls");
  if (!setting) return;
  for (size_t i = 0; i < setting->items.size(); ++i)
    if (!is_sysctl_of_a_pod(setting->items[i]))
      judge.error(setting->path_of(i),
                  quoted_excerpt(setting->items[i]) + " is not a namespaced sysctl, so no pod can set it",
                  "net.*, kernel.shm*, kernel.msg*, kernel.sem and fs.mqueue.* are");
}

// Files that the node itself creates. Any other file must be in the image.
void kubelet_certificate(Judge& judge) {
  static constexpr struct {
    const char* flag;
    std::string_view made;
  } kFiles[] = {{"--client-ca-file", paths::kClusterCa},
                {"--tls-cert-file", paths::kServingCertificate},
                {"--tls-private-key-file", paths::kServingKey}};
  for (const auto& file : kFiles) {
    const auto setting = kubelet_setting(judge.config, file.flag);
    if (setting && !setting->value.empty() && setting->value != file.made)
      judge.warning(
          setting->path,
          "provisioning does not write " + quoted_excerpt(setting->value) + ": without it kubelet does not start",
          "it writes " + std::string(file.made));
  }
  const bool certificate = !value_of(judge, "--tls-cert-file").empty();
  if (certificate != !value_of(judge, "--tls-private-key-file").empty())
    judge.error(path_for_kubelet_setting(judge.config, certificate ? "--tls-private-key-file" : "--tls-cert-file"),
                "certificate and key belong together: one of them is missing");
}

void tls_cipher_suite(Judge& judge) {
  const auto setting = kubelet_setting(judge.config, "--tls-cipher-suites");
  if (!setting) return;
  // The cipher suites of Go's TLS, and the two short names that Kubernetes also accepts.
  static constexpr std::string_view kSuites =
      "TLS_AES_128_GCM_SHA256 TLS_AES_256_GCM_SHA384 TLS_CHACHA20_POLY1305_SHA256"
      " TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA256"
      " TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256 TLS_ECDHE_ECDSA_WITH_AES_256_CBC_SHA"
      " TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384 TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305"
      " TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256 TLS_ECDHE_ECDSA_WITH_RC4_128_SHA"
      " TLS_ECDHE_RSA_WITH_3DES_EDE_CBC_SHA TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA"
      " TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA256 TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256"
      " TLS_ECDHE_RSA_WITH_AES_256_CBC_SHA TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384"
      " TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305 TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256"
      " TLS_ECDHE_RSA_WITH_RC4_128_SHA TLS_RSA_WITH_3DES_EDE_CBC_SHA TLS_RSA_WITH_AES_128_CBC_SHA"
      " TLS_RSA_WITH_AES_128_CBC_SHA256 TLS_RSA_WITH_AES_128_GCM_SHA256 TLS_RSA_WITH_AES_256_CBC_SHA"
      " TLS_RSA_WITH_AES_256_GCM_SHA384 TLS_RSA_WITH_RC4_128_SHA";
  const auto known = words(kSuites);
  for (size_t i = 0; i < setting->items.size(); ++i)
    if (std::ranges::find(known, setting->items[i]) == known.end())
      judge.error(setting->path_of(i), quoted_excerpt(setting->items[i]) + " is not a cipher suite that kubelet knows");
}

void never_joins(Judge& judge) {
  const auto want = [&](const char* flag, bool harmful, const char* message, const char* hint) {
    const auto setting = kubelet_setting(judge.config, flag);
    if (setting && as_go_bool(setting->value) == harmful) judge.error(setting->path, message, hint);
  };
  want("--register-node", false, "a node that does not register never joins", "leave it out");
  want("--runonce", true, "kubelet runs the static pods once and exits", "leave it out");
  if (const auto setting = kubelet_setting(judge.config, "--version"); setting && setting->value != "false")
    judge.error(setting->path, "kubelet prints its version and exits", "leave it out");
  const auto& config = judge.config;
  const auto kubeconfig = kubelet_setting(config, "--kubeconfig");
  if (kubeconfig && kubeconfig->value.empty())
    judge.error(kubeconfig->path, "without a kubeconfig kubelet runs standalone and never joins", paths::kKubeconfig);
  else if (kubeconfig && kubeconfig->value != paths::kKubeconfig)
    judge.warning(kubeconfig->path, "provisioning writes /var/lib/kubelet/kubeconfig, not this file");
  const auto provider = kubelet_setting(config, "--cloud-provider");
  if (!provider || provider->value.empty() || provider->value == "external") return;
  if (provider->value != "azure")
    judge.error(provider->path, quoted_excerpt(provider->value) + " is not a cloud provider of AKS", "external");
  else if (version_at_least(config.kubernetes_version(), versions::kNoCloudProviders))
    judge.error(provider->path, "kubelet 1.31 and later have no built-in cloud providers and do not start", "external");
}

// Earlier kubelets treated 0 as "not set".
void event_limit(Judge& judge) {
  if (!version_at_least(judge.config.kubernetes_version(), versions::kUnlimitedEvents)) return;
  const auto setting = kubelet_setting(judge.config, "--event-qps");
  if (setting && setting->value == "0")
    judge.note(setting->path, "kubelet 1.37 and later send events without a limit; before, 0 meant the default, 50",
               "a number above 0 limits them");
}

constexpr Rule kRules[] = {
    {"eviction-grace", "a soft eviction threshold without its grace period", eviction_grace},
    {"image-gc", "image garbage collection whose low threshold is not below its high threshold", image_gc},
    {"reserved-cgroup", "a reserved cgroup that does not exist, is missing, or is invalid", reserved_cgroup},
    {"node-allocatable", "reservations that kubelet cannot enforce", node_allocatable},
    {"unsafe-sysctl", "an allowed sysctl that is not namespaced, so no pod can set it", unsafe_sysctl},
    {"kubelet-certificate", "a serving certificate without a key, or files that nothing creates", kubelet_certificate},
    {"tls-cipher-suite", "a TLS cipher suite that kubelet does not know", tls_cipher_suite},
    {"never-joins", "kubelet settings that prevent the node from joining", never_joins},
    {"event-limit", "a limit of events whose meaning has changed", event_limit},
};

}  // namespace

std::span<const Rule> kubelet_whole_rules() {
  return kRules;
}

}  // namespace sunup::contract

// Kubelet's settings as it ends up with them, flags over config file: what does not go together, by kubelet's own
// validation, and what keeps a healthy kubelet from ever joining.
#include <algorithm>
#include <array>
#include <map>
#include <string>

#include "base/semver.h"
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
    const bool dropped = threshold == "0%" || threshold == "100%";  // before anyone asks for its grace period
    if (!dropped && !periods.contains(signal))
      judge.error(soft->from_file ? path_of_key(soft->path, signal) : soft->path,
                  "the soft threshold of " + quoted_excerpt(signal) + " needs its grace period",
                  soft->from_file ? "add it to eviction_soft_grace_period" : "add it to --eviction-soft-grace-period");
  }
}

void image_gc(Judge& judge) {
  const auto low = kubelet_setting(judge.config, "--image-gc-low-threshold");
  const auto high = kubelet_setting(judge.config, "--image-gc-high-threshold");
  const int64_t from = low ? as_integer(low->value).value_or(80) : 80;
  const int64_t to = high ? as_integer(high->value).value_or(85) : 85;
  if (from >= to)
    judge.error(low ? low->path : high->path,
                "image garbage collection must stop below where it starts: " + std::to_string(from) + " is not below " +
                    std::to_string(to),
                low && high ? "" : "the defaults are 80 and 85");
}

void reserved_cgroup(Judge& judge) {
  const auto slice = [&](const char* flag, const std::string& known) {
    const auto setting = kubelet_setting(judge.config, flag);
    if (setting && !setting->value.empty() && setting->value != known && setting->value != "/" + known)
      judge.error(setting->path, quoted_excerpt(setting->value) + " is not a cgroup that the node makes",
                  "only \"/" + known + "\" is");
  };
  slice("--kube-reserved-cgroup", "kubereserved.slice");
  slice("--system-reserved-cgroup", "system.slice");
  const std::string enforced = value_of(judge, "--enforce-node-allocatable");
  for (const std::string_view what : split(enforced, ',')) {
    const auto needs = [&](std::string_view name, const char* flag, const char* known) {
      if (what.starts_with(name) && value_of(judge, flag).empty())
        judge.error(path_for_kubelet_setting(judge.config, flag),
                    "enforcing " + std::string(what) + " needs its cgroup", std::string("set ") + known);
    };
    needs("kube-reserved", "--kube-reserved-cgroup", "/kubereserved.slice");
    needs("system-reserved", "--system-reserved-cgroup", "/system.slice");
  }
}

void node_allocatable(Judge& judge) {
  const auto enforced = kubelet_setting(judge.config, "--enforce-node-allocatable");
  const auto items = split(enforced ? std::string_view(enforced->value) : "pods", ',');
  if (items.size() > 1 && std::ranges::find(items, "none") != items.end())
    judge.error(enforced->path, "\"none\" cannot be enforced together with something");
  const auto per_qos = kubelet_setting(judge.config, "--cgroups-per-qos");
  const bool nothing_enforced = enforced && enforced->value.empty();
  if (per_qos && as_go_bool(per_qos->value) == false && !nothing_enforced)
    judge.error(per_qos->path,
                "without cgroups for each class of pods kubelet cannot enforce any limit, and does not start",
                "leave it out");
  const auto policy = kubelet_setting(judge.config, "--cpu-manager-policy");
  if (!policy || policy->value != "static") return;
  const bool reserved = is_positive_quantity(pairs(value_of(judge, "--kube-reserved"))["cpu"]) ||
                        is_positive_quantity(pairs(value_of(judge, "--system-reserved"))["cpu"]) ||
                        !value_of(judge, "--reserved-cpus").empty();
  if (!reserved) judge.error(policy->path, "policy static needs some CPU reserved", "add cpu to kube_reserved");
}

// A name, or the beginning of names with a '*' behind it; as files below /proc/sys have it if a slash comes first.
bool is_sysctl_of_a_pod(std::string name) {
  if (name.find(',') != name.npos) return false;  // of the config file: a flag is split there
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
                  quoted_excerpt(setting->items[i]) + " is not a sysctl that a pod can have for itself",
                  "net.*, kernel.shm*, kernel.msg*, kernel.sem and fs.mqueue.* are");
}

// Files of the node's own making; another one must be in the image.
void kubelet_certificate(Judge& judge) {
  static constexpr struct {
    const char* flag;
    std::string_view made;
  } kFiles[] = {{"--client-ca-file", "/etc/kubernetes/certs/ca.crt"},
                {"--tls-cert-file", "/etc/kubernetes/certs/kubeletserver.crt"},
                {"--tls-private-key-file", "/etc/kubernetes/certs/kubeletserver.key"}};
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
  // Those of Go's TLS, with the two short names that Kubernetes also knows.
  static constexpr std::array<std::string_view, 27> kSuites = {"TLS_AES_128_GCM_SHA256",
                                                               "TLS_AES_256_GCM_SHA384",
                                                               "TLS_CHACHA20_POLY1305_SHA256",
                                                               "TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA",
                                                               "TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA256",
                                                               "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256",
                                                               "TLS_ECDHE_ECDSA_WITH_AES_256_CBC_SHA",
                                                               "TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384",
                                                               "TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305",
                                                               "TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256",
                                                               "TLS_ECDHE_ECDSA_WITH_RC4_128_SHA",
                                                               "TLS_ECDHE_RSA_WITH_3DES_EDE_CBC_SHA",
                                                               "TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA",
                                                               "TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA256",
                                                               "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256",
                                                               "TLS_ECDHE_RSA_WITH_AES_256_CBC_SHA",
                                                               "TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384",
                                                               "TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305",
                                                               "TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256",
                                                               "TLS_ECDHE_RSA_WITH_RC4_128_SHA",
                                                               "TLS_RSA_WITH_3DES_EDE_CBC_SHA",
                                                               "TLS_RSA_WITH_AES_128_CBC_SHA",
                                                               "TLS_RSA_WITH_AES_128_CBC_SHA256",
                                                               "TLS_RSA_WITH_AES_128_GCM_SHA256",
                                                               "TLS_RSA_WITH_AES_256_CBC_SHA",
                                                               "TLS_RSA_WITH_AES_256_GCM_SHA384",
                                                               "TLS_RSA_WITH_RC4_128_SHA"};
  for (size_t i = 0; i < setting->items.size(); ++i)
    if (std::ranges::find(kSuites, setting->items[i]) == kSuites.end())
      judge.error(setting->path_of(i), quoted_excerpt(setting->items[i]) + " is not a cipher suite that kubelet knows");
}

void never_joins(Judge& judge) {
  const auto want = [&](const char* flag, bool harmful, const char* message, const char* hint) {
    const auto setting = kubelet_setting(judge.config, flag);
    if (setting && as_go_bool(setting->value) == harmful) judge.error(setting->path, message, hint);
  };
  want("--register-node", false, "a node that does not register never joins", "leave it out");
  want("--runonce", true, "kubelet runs the static pods once and ends", "leave it out");
  if (const auto setting = kubelet_setting(judge.config, "--version"); setting && setting->value != "false")
    judge.error(setting->path, "kubelet prints its version and ends", "leave it out");
  const auto& config = judge.config;
  const auto kubeconfig = kubelet_setting(config, "--kubeconfig");
  if (kubeconfig && kubeconfig->value != "/var/lib/kubelet/kubeconfig")
    judge.warning(kubeconfig->path, "the node's own kubeconfig is /var/lib/kubelet/kubeconfig: who writes this one?");
  const auto provider = kubelet_setting(config, "--cloud-provider");
  if (!provider || provider->value.empty() || provider->value == "external") return;
  if (provider->value != "azure")
    judge.error(provider->path, quoted_excerpt(provider->value) + " is no cloud provider of AKS", "external");
  else if (version_at_least(config.kubernetes_version(), 1, 31, 0))
    judge.error(provider->path, "from 1.31 on kubelet has no cloud providers of its own, and does not start",
                "external");
}

constexpr Rule kRules[] = {
    {"eviction-grace", "a soft eviction threshold without its grace period", eviction_grace},
    {"image-gc", "image garbage collection that stops above where it starts", image_gc},
    {"reserved-cgroup", "a reserved cgroup that does not exist, or is missing", reserved_cgroup},
    {"node-allocatable", "reservations that kubelet cannot enforce", node_allocatable},
    {"unsafe-sysctl", "an allowed sysctl that no pod can have for itself", unsafe_sysctl},
    {"kubelet-certificate", "a serving certificate without key, or files that nobody writes", kubelet_certificate},
    {"tls-cipher-suite", "a TLS cipher suite that kubelet does not know", tls_cipher_suite},
    {"never-joins", "kubelet settings with which a node cannot join", never_joins},
};

}  // namespace

std::span<const Rule> kubelet_whole_rules() {
  return kRules;
}

}  // namespace sunup::contract

// Kubelet's command line and labels: kubelet ends at once over most of what is wrong there.
#include <algorithm>
#include <array>
#include <string>

#include "base/semver.h"
#include "contract/formats.h"
#include "contract/judge.h"
#include "contract/kubelet_flag_values.h"
#include "contract/kubelet_flags.h"
#include "contract/quoted_excerpt.h"

namespace sunup::contract {
namespace {

constexpr char kFlagsPath[] = "$.kubelet_config.kubelet_flags";
constexpr char kLabelsPath[] = "$.kubelet_config.kubelet_node_labels";
constexpr char kFilePath[] = "$.kubelet_config.kubelet_config_file_config";

void kubelet_flag(Judge& judge) {
  for (const auto& [flag, value] : sorted(judge.config.kubelet_config().kubelet_flags())) {
    const std::string path = path_of_key(kFlagsPath, flag);
    const auto name_character = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-'; };
    if (!flag.starts_with("--") || flag.size() < 3 || !std::all_of(flag.begin(), flag.end(), name_character)) {
      judge.error(path, quoted_excerpt(flag) + " is not the name of a flag",
                  "two dashes and lower-case letters, such as --max-pods");
    } else if (!is_kubelet_flag(flag)) {
      const auto near = nearest_kubelet_flag(flag);
      judge.warning(path, "no kubelet known here has such a flag; one that does not know it ends at once",
                    near ? "did you mean " + *near + "?" : "");
    }
    if (value.find_first_of(" \t\r\n") != std::string::npos) {
      judge.error(path, "the value has white space: it would reach kubelet as several arguments");
    } else if (const auto takes = kubelet_flag_takes(flag, value)) {
      judge.error(path, quoted_excerpt(value) + " is not what kubelet takes here, and it does not start",
                  "it takes " + *takes);
    }
  }
}

void kubelet_flag_gone(Judge& judge) {
  static constexpr struct {
    std::string_view flag;
    uint64_t gone_in_minor;
  } kGone[] = {{"--dynamic-config-dir", 24}, {"--network-plugin", 24},
               {"--network-plugin-mtu", 24}, {"--cni-bin-dir", 24},
               {"--cni-conf-dir", 24},       {"--cni-cache-dir", 24},
               {"--docker-endpoint", 24},    {"--image-pull-progress-deadline", 24},
               {"--container-runtime", 27},  {"--pod-infra-container-image", 35}};
  const auto& flags = judge.config.kubelet_config().kubelet_flags();
  for (const auto& gone : kGone)
    if (flags.contains(std::string(gone.flag)) &&
        version_at_least(judge.config.kubernetes_version(), 1, gone.gone_in_minor, 0))
      judge.error(path_of_key(kFlagsPath, gone.flag),
                  "kubelet has no such flag from 1." + std::to_string(gone.gone_in_minor) + " on, and does not start",
                  "leave it out");
}

void kubelet_flag_twice(Judge& judge) {
  const auto& kubelet = judge.config.kubelet_config();
  if (!kubelet.enable_kubelet_config_file()) return;
  for (const auto& [flag, value] : sorted(kubelet.kubelet_flags())) {
    const auto twin = setting_behind_flag(flag, kubelet.kubelet_config_file_config());
    if (!twin) continue;
    const std::string path = path_of_key(kFlagsPath, flag);
    const std::string where = std::string(kFilePath).substr(2) + "." + twin->field;
    if (twin->value == value) {
      judge.warning(path, "given twice, also as " + where, "keep the config file's");
    } else {
      judge.error(
          path, "given twice and not alike: " + where + " says " + quoted_excerpt(twin->value) + ", and the flag wins",
          "leave one out");
    }
  }
}

void node_taint(Judge& judge) {
  const auto& flags = judge.config.kubelet_config().kubelet_flags();
  const auto it = flags.find("--register-with-taints");
  if (it == flags.end() || it->second.empty()) return;
  for (const std::string_view taint : split(it->second, ','))
    if (!is_taint(taint))
      judge.error(path_of_key(kFlagsPath, it->first), quoted_excerpt(taint) + " is not a taint",
                  "key=value:NoSchedule, with PreferNoSchedule or NoExecute as other effects");
}

void feature_gate_flag(Judge& judge) {
  const auto& flags = judge.config.kubelet_config().kubelet_flags();
  const auto it = flags.find("--feature-gates");
  if (it == flags.end() || it->second.empty()) return;
  for (const std::string_view gate : split(it->second, ',')) {
    const std::string_view value = gate.substr(std::min(gate.find('='), gate.size()));
    if (value != "=true" && value != "=false")
      judge.error(path_of_key(kFlagsPath, it->first), quoted_excerpt(gate) + " is not a feature gate",
                  "Name=true or Name=false, with commas between");
  }
}

void node_ip(Judge& judge) {
  const auto& flags = judge.config.kubelet_config().kubelet_flags();
  const auto it = flags.find("--node-ip");
  if (it == flags.end() || it->second.empty()) return;
  const std::string path = path_of_key(kFlagsPath, it->first);
  const auto addresses = split(it->second, ',');
  for (const std::string_view address : addresses)
    if (!is_ip(address)) judge.error(path, quoted_excerpt(address) + " is not an IP address");
  if (judge.config.ipv6_dual_stack_enabled() && addresses.size() < 2)
    judge.warning(path, "a dual-stack node with one address", "give both with a comma between, or leave the flag out");
}

// Kubelet refuses to start with labels of Kubernetes itself, except these.
bool kubelet_may_set(std::string_view key) {
  const size_t slash = key.find('/');
  if (slash == std::string_view::npos) return true;
  const std::string_view prefix = key.substr(0, slash);
  const auto within = [&](std::string_view domain) {
    return prefix == domain || (prefix.ends_with(domain) && prefix[prefix.size() - domain.size() - 1] == '.');
  };
  if (!within("kubernetes.io") && !within("k8s.io")) return true;
  if (within("kubelet.kubernetes.io") || within("node.kubernetes.io")) return true;
  static constexpr std::array<std::string_view, 11> kAllowed = {"kubernetes.io/hostname",
                                                                "kubernetes.io/os",
                                                                "kubernetes.io/arch",
                                                                "beta.kubernetes.io/os",
                                                                "beta.kubernetes.io/arch",
                                                                "beta.kubernetes.io/instance-type",
                                                                "topology.kubernetes.io/zone",
                                                                "topology.kubernetes.io/region",
                                                                "failure-domain.beta.kubernetes.io/zone",
                                                                "failure-domain.beta.kubernetes.io/region",
                                                                "node.kubernetes.io/instance-type"};
  return std::find(kAllowed.begin(), kAllowed.end(), key) != kAllowed.end();
}

void node_label(Judge& judge) {
  for (const auto& [key, value] : sorted(judge.config.kubelet_config().kubelet_node_labels())) {
    const std::string path = path_of_key(kLabelsPath, key);
    if (!is_label_key(key)) {
      judge.error(path, quoted_excerpt(key) + " cannot be the name of a label",
                  "[domain/]name, the name at most 63 letters, digits, '-', '_', '.'");
    } else if (!kubelet_may_set(key)) {
      judge.error(path, "kubelet may not set labels of kubernetes.io itself, and does not start", "leave it out");
    }
    if (!is_label_value(value))
      judge.error(path, quoted_excerpt(value) + " cannot be the value of a label",
                  "at most 63 letters, digits, '-', '_', '.', starting and ending with a letter or digit");
  }
}

constexpr Rule kRules[] = {
    {"kubelet-flag", "a kubelet flag whose name or value cannot be one; one that no kubelet has (a warning)",
     kubelet_flag},
    {"kubelet-flag-gone", "a kubelet flag that this Kubernetes version no longer has", kubelet_flag_gone},
    {"kubelet-flag-twice", "a setting given as a flag and in the config file (an error if they differ)",
     kubelet_flag_twice},
    {"node-taint", "a taint that cannot be one", node_taint},
    {"feature-gate", "a feature gate that is neither true nor false", feature_gate_flag},
    {"node-ip", "a node address that is none, or one too few", node_ip},
    {"node-label", "a node label that is malformed or that kubelet may not set", node_label},
};

}  // namespace

std::span<const Rule> kubelet_rules() {
  return kRules;
}

}  // namespace sunup::contract

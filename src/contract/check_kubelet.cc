// Rules for kubelet's command line and labels. Kubelet exits at once for most mistakes there.
#include <algorithm>
#include <array>
#include <set>
#include <string>

#include "base/duration.h"
#include "base/text.h"
#include "base/version_changes.h"
#include "contract/formats.h"
#include "contract/judge.h"
#include "contract/kubelet_flag_values.h"
#include "contract/kubelet_flags.h"
#include "contract/quoted_excerpt.h"

namespace sunup::contract {
namespace {

constexpr char kLabelsPath[] = "$.kubelet_config.kubelet_node_labels";

void kubelet_flag(Judge& judge) {
  for (const auto& [flag, value] : sorted(judge.config.kubelet_config().kubelet_flags())) {
    if (judge.out_of_time()) return;
    const std::string path = path_of_key(kKubeletFlagsPath, flag);
    const auto name_character = [](char c) { return is_lower(c) || is_digit(c) || c == '-'; };
    if (!flag.starts_with("--") || flag.size() < 3 || !std::all_of(flag.begin(), flag.end(), name_character)) {
      judge.error(path, quoted_excerpt(flag) + " is not the name of a flag",
                  "two dashes and lower-case letters, such as --max-pods");
    } else if (!is_kubelet_flag(flag)) {
      const auto near = nearest_kubelet_flag(flag);
      judge.warning(path, "no known kubelet has this flag; a kubelet that does not know a flag exits immediately",
                    near ? "did you mean " + *near + "?" : "");
    }
    if (value.find_first_of(" \t\r\n") != std::string::npos) {
      judge.error(path, "the value has white space: it would reach kubelet as several arguments");
    } else if (const auto takes = kubelet_flag_takes(flag, value)) {
      judge.error(path, quoted_excerpt(value) + " is not a value that kubelet accepts, so kubelet does not start",
                  "it takes " + *takes);
    }
  }
}

void kubelet_flag_gone(Judge& judge) {
  const auto version = Version::parse(judge.config.kubernetes_version());
  if (!version) return;
  const auto& flags = judge.config.kubelet_config().kubelet_flags();
  for (const auto& [flag, value] : sorted(flags)) {
    const KubeletFlagLife life = kubelet_flag_life(flag);
    const bool gone = life.gone && version->at_least(1, *life.gone, 0);
    if (!gone && !(life.since && version->major == 1 && version->minor < *life.since)) continue;
    const std::string when =
        gone ? "from 1." + std::to_string(*life.gone) + " on" : "before 1." + std::to_string(*life.since);
    judge.error(path_of_key(kKubeletFlagsPath, flag), "kubelet has no such flag " + when + ", so it does not start",
                "leave it out");
  }
  // Control planes still send this flag to versions that no longer need it, so it may not end all of them.
  constexpr std::string_view kRegistryConfig = "--azure-container-registry-config";
  if (flags.contains(std::string(kRegistryConfig)) &&
      version_at_least(judge.config.kubernetes_version(), versions::kRegistryConfigUnneeded))
    judge.warning(path_of_key(kKubeletFlagsPath, kRegistryConfig),
                  "kubelet 1.30 and later do not need this flag, and a kubelet that does not know it exits immediately",
                  "leave it out");
}

// The order of map entries and of the items of these lists has no meaning. DNS servers are used in their order.
bool order_counts(std::string_view flag, std::string_view in_file) {
  constexpr std::array<std::string_view, 3> kSets = {"--allowed-unsafe-sysctls", "--enforce-node-allocatable",
                                                     "--tls-cipher-suites"};
  return in_file.find_first_of("=<") == in_file.npos && std::ranges::find(kSets, flag) == kSets.end();
}

// Whether the two have the same meaning to kubelet, even if they are spelled differently.
bool alike(std::string_view flag, std::string_view value, const FileSetting& twin) {
  const std::string_view in_file = twin.value;
  if (in_file == "true" || in_file == "false") return as_go_bool(value) == as_go_bool(in_file);
  const auto duration = parse_go_duration(value);
  const auto duration_in_file = parse_go_duration(in_file);
  if (duration && duration_in_file) return *duration == *duration_in_file;
  if (order_counts(flag, in_file)) return value == in_file;
  const auto entries = split_entries(value);
  return std::set<std::string_view>(entries.begin(), entries.end()) ==
         std::set<std::string_view>(twin.items.begin(), twin.items.end());
}

// Kubelet merges the flag gate by gate; it does not replace the whole list.
void feature_gate_twice(Judge& judge) {
  const auto& kubelet = judge.config.kubelet_config();
  const auto& in_file = kubelet.kubelet_config_file_config().feature_gates();
  const auto it = kubelet.kubelet_flags().find("--feature-gates");
  if (it == kubelet.kubelet_flags().end()) return;
  for (const std::string_view gate : split_entries(it->second)) {
    const std::string name(gate.substr(0, gate.find('=')));
    const auto twin = in_file.find(name);
    if (twin == in_file.end()) continue;
    const auto value = as_go_bool(gate.substr(std::min(name.size() + 1, gate.size())));
    const std::string path = path_of_key(kKubeletFlagsPath, it->first);
    if (value == twin->second)
      judge.warning(path, "feature gate " + quoted_excerpt(name) + " is given twice, also in the config file",
                    "keep the one in the config file");
    else
      judge.error(path,
                  "feature gate " + quoted_excerpt(name) +
                      " is given twice with different values; the flag overrides the config file",
                  "leave one out");
  }
}

void kubelet_flag_twice(Judge& judge) {
  const auto& kubelet = judge.config.kubelet_config();
  if (!kubelet.enable_kubelet_config_file()) return;
  feature_gate_twice(judge);
  // From this version on, the node's files contain neither of them.
  const bool no_streaming_timeout = version_at_least(judge.config.kubernetes_version(), versions::kNoStreamingTimeout);
  for (const auto& [flag, value] : sorted(kubelet.kubelet_flags())) {
    if (flag == "--feature-gates" || (flag == "--streaming-connection-idle-timeout" && no_streaming_timeout)) continue;
    const auto twin = setting_behind_flag(flag, kubelet.kubelet_config_file_config());
    if (!twin) continue;
    const std::string path = path_of_key(kKubeletFlagsPath, flag);
    const std::string where = path_in_kubelet_file(twin->field).substr(2);
    if (alike(flag, value, *twin)) {
      judge.warning(path, "given twice, also as " + where, "keep the one in the config file");
    } else {
      judge.error(path,
                  "given twice with different values: " + where + " says " + quoted_excerpt(twin->value) +
                      "; the flag overrides the config file",
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
      judge.error(path_of_key(kKubeletFlagsPath, it->first), quoted_excerpt(taint) + " is not a taint",
                  "key=value:NoSchedule, with PreferNoSchedule or NoExecute as other effects");
}

void feature_gate(Judge& judge) {
  const auto& kubelet = judge.config.kubelet_config();
  if (kubelet.enable_kubelet_config_file() && kubelet.kubelet_config_file_config().feature_gates().contains(""))
    judge.error(path_in_kubelet_file("feature_gates"), "a feature gate without a name");
  const auto it = kubelet.kubelet_flags().find("--feature-gates");
  if (it == kubelet.kubelet_flags().end()) return;
  for (const std::string_view gate : split_entries(it->second)) {
    const size_t equals = gate.find('=');
    if (equals == 0 || equals == gate.npos || !as_go_bool(gate.substr(equals + 1)))
      judge.error(path_of_key(kKubeletFlagsPath, it->first), quoted_excerpt(gate) + " is not a feature gate",
                  "Name=true or Name=false, with commas between");
  }
}

void node_ip(Judge& judge) {
  const auto& flags = judge.config.kubelet_config().kubelet_flags();
  const auto it = flags.find("--node-ip");
  if (it == flags.end() || it->second.empty()) return;
  const std::string path = path_of_key(kKubeletFlagsPath, it->first);
  const auto addresses = split(it->second, ',');
  for (const std::string_view address : addresses)
    if (!is_ip(address)) judge.error(path, quoted_excerpt(address) + " is not an IP address");
  if (judge.config.ipv6_dual_stack_enabled() && addresses.size() < 2)
    judge.warning(path, "a dual-stack node with one address", "give both with a comma between, or leave the flag out");
}

// kubelet_node_labels becomes this flag; the value of the flag is added to it.
void node_label_flag(Judge& judge) {
  const auto& flags = judge.config.kubelet_config().kubelet_flags();
  const auto it = flags.find("--node-labels");
  if (it == flags.end()) return;
  const std::string path = path_of_key(kKubeletFlagsPath, it->first);
  const auto& labels = judge.config.kubelet_config().kubelet_node_labels();
  for (const std::string_view label : split_entries(it->second)) {
    const size_t equals = std::min(label.find('='), label.size());
    const std::string key(label.substr(0, equals));
    const std::string_view value = label.substr(std::min(equals + 1, label.size()));
    if (!is_label_key(key) || !kubelet_may_set(key) || !is_label_value(value))
      judge.error(path, quoted_excerpt(label) + " is not a label that kubelet may set",
                  "use kubelet_node_labels, and no labels of kubernetes.io itself");
    if (const auto same = labels.find(key); same != labels.end() && same->second != value)
      judge.warning(path, quoted_excerpt(key) + " has another value in kubelet_node_labels",
                    "give it in kubelet_node_labels alone");
  }
}

void node_label(Judge& judge) {
  node_label_flag(judge);
  for (const auto& [key, value] : sorted(judge.config.kubelet_config().kubelet_node_labels())) {
    const std::string path = path_of_key(kLabelsPath, key);
    if (!is_label_key(key)) {
      judge.error(path, quoted_excerpt(key) + " is not a valid label name",
                  "[domain/]name, the name at most 63 letters, digits, '-', '_', '.'");
    } else if (!kubelet_may_set(key)) {
      judge.error(path, "kubelet may not set labels of kubernetes.io itself, so it does not start", "leave it out");
    }
    if (!is_label_value(value))
      judge.error(path, quoted_excerpt(value) + " is not a valid label value",
                  "at most 63 letters, digits, '-', '_', '.', starting and ending with a letter or digit");
  }
}

constexpr Rule kRules[] = {
    {"kubelet-flag", "a kubelet flag with an invalid name or value; a flag that no kubelet has (a warning)",
     kubelet_flag},
    {"kubelet-flag-gone", "a kubelet flag that this Kubernetes version no longer has, or does not have yet",
     kubelet_flag_gone},
    {"kubelet-flag-twice", "a setting given as a flag and in the config file (an error if they differ)",
     kubelet_flag_twice},
    {"node-taint", "a malformed taint", node_taint},
    {"feature-gate", "a feature gate that is neither true nor false", feature_gate},
    {"node-ip", "an invalid node address, or one address too few", node_ip},
    {"node-label", "a node label that is malformed, that kubelet may not set, or that has two values", node_label},
};

}  // namespace

std::span<const Rule> kubelet_rules() {
  return kRules;
}

}  // namespace sunup::contract

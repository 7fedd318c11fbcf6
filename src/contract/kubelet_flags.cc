#include "contract/kubelet_flags.h"

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "contract/formats.h"
#include "contract/judge.h"
#include "contract/message_view.h"

namespace sunup::contract {
namespace {

struct Pair {
  std::string_view flag;
  std::string_view field;
  std::string_view between = "=";  // of a map: between key and value
};

constexpr Pair kPairs[] = {
    {"--address", "address"},
    {"--allowed-unsafe-sysctls", "allowed_unsafe_sysctls"},
    {"--anonymous-auth", "authentication.anonymous.enabled"},
    {"--authentication-token-webhook", "authentication.webhook.enabled"},
    {"--authentication-token-webhook-cache-ttl", "authentication.webhook.cache_ttl"},
    {"--authorization-mode", "authorization.mode"},
    {"--authorization-webhook-cache-authorized-ttl", "authorization.webhook.cache_authorized_ttl"},
    {"--authorization-webhook-cache-unauthorized-ttl", "authorization.webhook.cache_unauthorized_ttl"},
    {"--cgroups-per-qos", "cgroups_per_qos"},
    {"--client-ca-file", "authentication.x509.client_ca_file"},
    {"--cluster-dns", "cluster_dns"},
    {"--cluster-domain", "cluster_domain"},
    {"--container-log-max-files", "container_log_max_files"},
    {"--container-log-max-size", "container_log_max_size"},
    {"--cpu-cfs-quota", "cpu_cfs_quota"},
    {"--cpu-cfs-quota-period", "cpu_cfs_quota_period"},
    {"--cpu-manager-policy", "cpu_manager_policy"},
    {"--enforce-node-allocatable", "enforce_node_allocatable"},
    {"--event-qps", "event_record_qps"},
    {"--eviction-hard", "eviction_hard", "<"},
    {"--eviction-max-pod-grace-period", "eviction_max_pod_grace_period"},
    {"--eviction-soft", "eviction_soft", "<"},
    {"--eviction-soft-grace-period", "eviction_soft_grace_period"},
    {"--fail-swap-on", "fail_swap_on"},
    {"--feature-gates", "feature_gates"},
    {"--image-gc-high-threshold", "image_gc_high_threshold_percent"},
    {"--image-gc-low-threshold", "image_gc_low_threshold_percent"},
    {"--kube-reserved", "kube_reserved"},
    {"--kube-reserved-cgroup", "kube_reserved_cgroup"},
    {"--max-pods", "max_pods"},
    {"--node-status-update-frequency", "node_status_update_frequency"},
    {"--pod-manifest-path", "static_pod_path"},
    {"--pod-max-pids", "pod_pids_limit"},
    {"--protect-kernel-defaults", "protect_kernel_defaults"},
    {"--read-only-port", "read_only_port"},
    {"--resolv-conf", "resolv_conf"},
    {"--rotate-certificates", "rotate_certificates"},
    {"--rotate-server-certificates", "server_tls_bootstrap"},
    {"--seccomp-default", "seccomp_default"},
    {"--serialize-image-pulls", "serialize_image_pulls"},
    {"--streaming-connection-idle-timeout", "streaming_connection_idle_timeout"},
    {"--system-reserved", "system_reserved"},
    {"--system-reserved-cgroup", "system_reserved_cgroup"},
    {"--tls-cert-file", "tls_cert_file"},
    {"--tls-cipher-suites", "tls_cipher_suites"},
    {"--tls-private-key-file", "tls_private_key_file"},
    {"--topology-manager-policy", "topology_manager_policy"},
};

std::string text_of(const FieldValue& value) {
  switch (value.field().kind) {
    case FieldKind::kBool:
      return value.boolean() ? "true" : "false";
    case FieldKind::kInt32:
      return std::to_string(value.integer());
    default:
      return std::string(value.text());
  }
}

std::vector<std::string> items_of(const MessageView& message, const Field& field, std::string_view between) {
  std::vector<std::string> out;
  if (field.is_list())
    for (const FieldValue& item : message.values(field)) out.push_back(text_of(item));
  else if (field.is_map())
    for (const auto& [key, value] : message.map(field))
      out.push_back(std::string(key) + std::string(between) + text_of(value));
  else
    out.push_back(text_of(message.get(field)));
  return out;
}

// As one flag gives it.
std::string with_commas(const std::vector<std::string>& items) {
  std::string out;
  for (size_t i = 0; i < items.size(); ++i) out.append(i == 0 ? "" : ",").append(items[i]);
  return out;
}

std::vector<std::string> items_of(std::string_view flag_value) {
  if (flag_value.empty()) return {};
  const auto parts = split(flag_value, ',');
  return {parts.begin(), parts.end()};
}

}  // namespace

std::string path_in_kubelet_file(std::string_view field) {
  return std::string(kKubeletFilePath) + "." + std::string(field);
}

std::optional<FileSetting> setting_behind_flag(std::string_view flag,
                                               const aksnodeconfig::v1::KubeletConfigFileConfig& file) {
  for (const Pair& pair : kPairs) {
    if (pair.flag != flag) continue;
    const std::string wire = file.SerializeAsString();
    MessageView message(wire, *field_at("kubelet_config.kubelet_config_file_config")->message);
    for (const std::string_view name : split(pair.field, '.')) {
      const Field& field = *message.type().find(name);
      if (!message.has(field)) return std::nullopt;
      if (field.is_map() || !field.message) {
        auto items = items_of(message, field, pair.between);
        return FileSetting{std::string(pair.field), with_commas(items), std::move(items)};
      }
      message = message.get(field).message();
    }
  }
  return std::nullopt;
}

std::string KubeletSetting::path_of(size_t item) const {
  return from_file ? path_of_item(path, item) : path;
}

std::optional<KubeletSetting> kubelet_setting(const Configuration& config, std::string_view flag) {
  const auto& flags = config.kubelet_config().kubelet_flags();
  if (const auto it = flags.find(std::string(flag)); it != flags.end())
    return KubeletSetting{it->second, items_of(it->second), path_of_key(kKubeletFlagsPath, flag)};
  return kubelet_file_setting(config, flag);
}

std::optional<KubeletSetting> kubelet_file_setting(const Configuration& config, std::string_view flag) {
  if (!config.kubelet_config().enable_kubelet_config_file()) return std::nullopt;
  auto set = setting_behind_flag(flag, config.kubelet_config().kubelet_config_file_config());
  if (!set) return std::nullopt;
  return KubeletSetting{std::move(set->value), std::move(set->items), path_in_kubelet_file(set->field), true};
}

std::string path_for_kubelet_setting(const Configuration& config, std::string_view flag) {
  const auto pair = std::ranges::find(kPairs, flag, &Pair::flag);
  const bool in_file = config.kubelet_config().enable_kubelet_config_file() && pair != std::end(kPairs);
  return in_file ? path_in_kubelet_file(pair->field) : path_of_key(kKubeletFlagsPath, flag);
}

}  // namespace sunup::contract

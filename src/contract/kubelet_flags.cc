#include "contract/kubelet_flags.h"

#include <google/protobuf/message.h>

#include <map>

#include "contract/formats.h"

namespace sunup::contract {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;

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

std::string scalar_text(const Message& message, const FieldDescriptor* field) {
  const Reflection* reflection = message.GetReflection();
  switch (field->cpp_type()) {
    case FieldDescriptor::CPPTYPE_BOOL:
      return reflection->GetBool(message, field) ? "true" : "false";
    case FieldDescriptor::CPPTYPE_INT32:
      return std::to_string(reflection->GetInt32(message, field));
    default:
      return reflection->GetString(message, field);
  }
}

std::string joined(const Message& message, const FieldDescriptor* field, std::string_view between) {
  const Reflection* reflection = message.GetReflection();
  std::map<std::string, std::string> entries;
  std::string out;
  const auto add = [&](const std::string& text) { out += (out.empty() ? "" : ",") + text; };
  for (int i = 0; i < reflection->FieldSize(message, field); ++i) {
    if (!field->is_map()) {
      add(reflection->GetRepeatedString(message, field, i));
      continue;
    }
    const Message& entry = reflection->GetRepeatedMessage(message, field, i);
    entries[scalar_text(entry, field->message_type()->map_key())] =
        scalar_text(entry, field->message_type()->map_value());
  }
  for (const auto& [key, value] : entries) add(key + std::string(between) + value);
  return out;
}

}  // namespace

std::optional<FileSetting> setting_behind_flag(std::string_view flag,
                                               const aksnodeconfig::v1::KubeletConfigFileConfig& file) {
  for (const Pair& pair : kPairs) {
    if (pair.flag != flag) continue;
    const Message* message = &file;
    for (const std::string_view name : split(pair.field, '.')) {
      const FieldDescriptor* field = message->GetDescriptor()->FindFieldByName(std::string(name));
      const Reflection* reflection = message->GetReflection();
      if (field->is_repeated()) {
        if (reflection->FieldSize(*message, field) == 0) return std::nullopt;
        return FileSetting{std::string(pair.field), joined(*message, field, pair.between)};
      }
      if (!reflection->HasField(*message, field)) return std::nullopt;
      if (field->cpp_type() != FieldDescriptor::CPPTYPE_MESSAGE)
        return FileSetting{std::string(pair.field), scalar_text(*message, field)};
      message = &reflection->GetMessage(*message, field);
    }
  }
  return std::nullopt;
}

}  // namespace sunup::contract

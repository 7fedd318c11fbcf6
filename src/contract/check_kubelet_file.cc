// Rules for the values of kubelet's config file, following kubelet's own validation: an invalid value prevents its
// start. check_kubelet_whole.cc contains the rules for flags and file together.
#include <algorithm>
#include <array>
#include <string>

#include "base/duration.h"
#include "contract/formats.h"
#include "contract/judge.h"
#include "contract/kubelet_flag_values.h"
#include "contract/kubelet_flags.h"
#include "contract/quoted_excerpt.h"

namespace sunup::contract {
namespace {

using aksnodeconfig::v1::KubeletConfigFileConfig;
using StringMap = google::protobuf::Map<std::string, std::string>;

// The file only matters if kubelet uses it; otherwise the rules about its content report nothing.
const KubeletConfigFileConfig* active_file(const Judge& judge) {
  const auto& kubelet = judge.config.kubelet_config();
  return kubelet.enable_kubelet_config_file() && kubelet.has_kubelet_config_file_config()
             ? &kubelet.kubelet_config_file_config()
             : nullptr;
}

template <size_t N>
bool one_of(std::string_view value, const std::array<std::string_view, N>& known) {
  return std::find(known.begin(), known.end(), value) != known.end();
}

template <size_t N>
std::string listing(const std::array<std::string_view, N>& known) {
  std::string out = "one of: ";
  for (size_t i = 0; i < N; ++i) out += (i ? ", " : "") + std::string(known[i]);
  return out;
}

void config_file(Judge& judge) {
  const auto& kubelet = judge.config.kubelet_config();
  const bool given = kubelet.has_kubelet_config_file_config();
  if (!kubelet.enable_kubelet_config_file()) {
    if (given && kubelet.kubelet_config_file_config().ByteSizeLong() > 0)
      judge.warning(kKubeletFilePath, "the config file is not used: enable_kubelet_config_file is not true",
                    "set enable_kubelet_config_file, or leave the file out");
    return;
  }
  if (!given) {
    judge.error(kKubeletFilePath, "the config file is enabled but empty: kubelet does not start with it");
    return;
  }
  const auto& file = kubelet.kubelet_config_file_config();
  if (file.kind() != "KubeletConfiguration")
    judge.error(path_in_kubelet_file("kind"), "kubelet reads only files of kind KubeletConfiguration",
                "set \"kind\": \"KubeletConfiguration\"");
  if (!file.api_version().starts_with("kubelet.config.k8s.io/"))
    judge.error(path_in_kubelet_file("api_version"), "this is not a version of kubelet's config file",
                "set \"api_version\": \"kubelet.config.k8s.io/v1beta1\"");
}

void kubelet_duration(Judge& judge) {
  const auto* file = active_file(judge);
  if (!file) return;
  const auto& webhook = file->authentication().webhook();
  const auto& authorization = file->authorization().webhook();
  const struct {
    const char* field;
    const std::string& value;
  } durations[] = {
      {"streaming_connection_idle_timeout", file->streaming_connection_idle_timeout()},
      {"node_status_update_frequency", file->node_status_update_frequency()},
      {"node_status_report_frequency", file->node_status_report_frequency()},
      {"cpu_cfs_quota_period", file->cpu_cfs_quota_period()},
      {"authentication.webhook.cache_ttl", webhook.cache_ttl()},
      {"authorization.webhook.cache_authorized_ttl", authorization.cache_authorized_ttl()},
      {"authorization.webhook.cache_unauthorized_ttl", authorization.cache_unauthorized_ttl()},
  };
  for (const auto& duration : durations)
    if (!duration.value.empty() && !is_go_duration(duration.value))
      judge.error(path_in_kubelet_file(duration.field), quoted_excerpt(duration.value) + " is not a duration",
                  "a number with a unit, such as 10s or 4h0m0s");
  const auto period = parse_go_duration(file->cpu_cfs_quota_period());
  if (period && (*period < std::chrono::milliseconds(1) || *period > std::chrono::seconds(1)))
    judge.error(path_in_kubelet_file("cpu_cfs_quota_period"), "the period must be between 1ms and 1s");
}

void reserved_resource(Judge& judge) {
  const auto* file = active_file(judge);
  if (!file) return;
  static constexpr std::array<std::string_view, 4> kResources = {"cpu", "memory", "ephemeral-storage", "pid"};
  const auto judge_map = [&](const char* field, const StringMap& map) {
    for (const auto& [resource, amount] : sorted(map)) {
      const std::string path = path_of_key(path_in_kubelet_file(field), resource);
      if (!one_of(resource, kResources))
        judge.error(path, "kubelet cannot reserve " + quoted_excerpt(resource), listing(kResources));
      if (!is_quantity(amount) || amount.starts_with('-'))
        judge.error(path, quoted_excerpt(amount) + " is not an amount", "such as 100m or 1638Mi");
    }
  };
  judge_map("kube_reserved", file->kube_reserved());
  judge_map("system_reserved", file->system_reserved());
}

void eviction(Judge& judge) {
  const auto* file = active_file(judge);
  if (!file) return;
  const auto thresholds = [&](const char* field, const StringMap& map) {
    for (const auto& [signal, threshold] : sorted(map)) {
      const std::string path = path_of_key(path_in_kubelet_file(field), signal);
      if (!is_eviction_signal(signal))
        judge.error(path, quoted_excerpt(signal) + " is not a signal that kubelet watches",
                    "such as memory.available, nodefs.available, nodefs.inodesFree, imagefs.available, pid.available");
      if (!is_eviction_threshold(threshold))
        judge.error(path, quoted_excerpt(threshold) + " is not a threshold", "such as 100Mi or 10%");
    }
  };
  thresholds("eviction_hard", file->eviction_hard());
  thresholds("eviction_soft", file->eviction_soft());
  for (const auto& [signal, period] : sorted(file->eviction_soft_grace_period())) {
    if (!is_eviction_signal(signal))
      judge.error(path_of_key(path_in_kubelet_file("eviction_soft_grace_period"), signal),
                  quoted_excerpt(signal) + " is not a signal that kubelet watches");
    if (!is_go_duration(period) || period.starts_with('-'))
      judge.error(path_of_key(path_in_kubelet_file("eviction_soft_grace_period"), signal),
                  quoted_excerpt(period) + " is not a duration", "such as 1m30s");
  }
}

void kubelet_number(Judge& judge) {
  const auto* file = active_file(judge);
  if (!file) return;
  const auto want = [&](bool right, const char* field, const char* message) {
    if (!right) judge.error(path_in_kubelet_file(field), message);
  };
  want(!file->has_max_pods() || file->max_pods() >= 0, "max_pods", "must not be negative");
  if (file->has_max_pods() && file->max_pods() == 0)
    judge.warning(path_in_kubelet_file("max_pods"), "a node for no pods at all: not even kube-proxy can run");
  if (file->max_pods() > 250)
    judge.warning(path_in_kubelet_file("max_pods"), "more than the 250 pods that AKS supports on a node");
  want(file->read_only_port() >= 0 && file->read_only_port() <= 65535, "read_only_port", "not a port");
  if (file->read_only_port() > 0)
    judge.warning(path_in_kubelet_file("read_only_port"),
                  "anyone who reaches the node can read its pods without a credential", "set 0");
  want(file->event_record_qps() >= 0, "event_record_qps", "must not be negative");
  want(!file->has_container_log_max_files() || file->container_log_max_files() > 1, "container_log_max_files",
       "kubelet needs at least 2 log files");
  want(!file->has_pod_pids_limit() || file->pod_pids_limit() == -1 || file->pod_pids_limit() > 0, "pod_pids_limit",
       "must be positive, or -1 for no limit");
  want(file->container_log_max_size().empty() || is_quantity(file->container_log_max_size()), "container_log_max_size",
       "not an amount such as 10Mi");
  const int high = file->image_gc_high_threshold_percent();
  const int low = file->image_gc_low_threshold_percent();
  want(high >= 0 && high <= 100, "image_gc_high_threshold_percent", "must be between 0 and 100");
  want(low >= 0 && low <= 100, "image_gc_low_threshold_percent", "must be between 0 and 100");
}

void kubelet_word(Judge& judge) {
  const auto* file = active_file(judge);
  if (!file) return;
  static constexpr std::array<std::string_view, 2> kCpu = {"none", "static"};
  static constexpr std::array<std::string_view, 4> kTopology = {"none", "best-effort", "restricted",
                                                                "single-numa-node"};
  static constexpr std::array<std::string_view, 2> kAuthorization = {"Webhook", "AlwaysAllow"};
  static constexpr std::array<std::string_view, 6> kEnforce = {
      "none", "pods", "kube-reserved", "system-reserved", "kube-reserved-compressible", "system-reserved-compressible"};
  const auto want = [&](const std::string& path, const std::string& value, const auto& known) {
    if (!value.empty() && !one_of(value, known))
      judge.error(path, quoted_excerpt(value) + " is not known to kubelet", listing(known));
  };
  want(path_in_kubelet_file("cpu_manager_policy"), file->cpu_manager_policy(), kCpu);
  want(path_in_kubelet_file("topology_manager_policy"), file->topology_manager_policy(), kTopology);
  want(path_in_kubelet_file("authorization.mode"), file->authorization().mode(), kAuthorization);
  for (int i = 0; i < file->enforce_node_allocatable_size(); ++i)
    want(path_of_item(path_in_kubelet_file("enforce_node_allocatable"), static_cast<size_t>(i)),
         file->enforce_node_allocatable(i), kEnforce);
  if (file->authorization().mode() == "AlwaysAllow")
    judge.warning(path_in_kubelet_file("authorization.mode"),
                  "anyone who reaches the node may run commands in its pods", "set Webhook");
}

void kubelet_address(Judge& judge) {
  const auto* file = active_file(judge);
  if (file && !file->address().empty() && !is_ip(file->address()))
    judge.error(path_in_kubelet_file("address"), quoted_excerpt(file->address()) + " is not an IP address");
}

void cluster_dns(Judge& judge) {
  const auto* file = active_file(judge);
  if (!file) return;
  for (int i = 0; i < file->cluster_dns_size(); ++i)
    if (!is_ip(file->cluster_dns(i)))
      judge.error(path_of_item(path_in_kubelet_file("cluster_dns"), static_cast<size_t>(i)),
                  quoted_excerpt(file->cluster_dns(i)) + " is not an IP address");
}

constexpr Rule kRules[] = {
    {"kubelet-config-file", "a config file that is enabled but unusable, or given but not enabled", config_file},
    {"kubelet-duration", "an invalid duration in the config file", kubelet_duration},
    {"reserved-resource", "a reservation of an unknown resource, or without a valid amount", reserved_resource},
    {"eviction", "an eviction signal, threshold or grace period that kubelet refuses", eviction},
    {"kubelet-number", "a number in the config file that is out of range", kubelet_number},
    {"kubelet-word", "a keyword in the config file that kubelet does not know", kubelet_word},
    {"kubelet-address", "an address that kubelet cannot listen on", kubelet_address},
    {"cluster-dns", "a cluster DNS server that is not an IP address", cluster_dns},
};

}  // namespace

std::span<const Rule> kubelet_file_rules() {
  return kRules;
}

}  // namespace sunup::contract

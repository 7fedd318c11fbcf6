#include "fleet/node_class.h"

#include <fmt/format.h>

#include <algorithm>

#include "fleet/node_class_hash.h"
#include "fleet/node_class_rules.h"

namespace sunup::fleet {
namespace {

using nlohmann::json;

template <class T>
void take(const json& from, const char* name, std::optional<T>& into) {
  if (const auto it = from.find(name); it != from.end() && !it->is_null()) into = it->get<T>();
}

KubeletSettings read_kubelet(const json& from) {
  KubeletSettings kubelet;
  take(from, "cpuManagerPolicy", kubelet.cpu_manager_policy);
  take(from, "cpuCFSQuota", kubelet.cpu_cfs_quota);
  take(from, "cpuCFSQuotaPeriod", kubelet.cpu_cfs_quota_period);
  take(from, "imageGCHighThresholdPercent", kubelet.image_gc_high_threshold_percent);
  take(from, "imageGCLowThresholdPercent", kubelet.image_gc_low_threshold_percent);
  take(from, "topologyManagerPolicy", kubelet.topology_manager_policy);
  kubelet.allowed_unsafe_sysctls = from.value("allowedUnsafeSysctls", std::vector<std::string>{});
  take(from, "containerLogMaxSize", kubelet.container_log_max_size);
  take(from, "containerLogMaxFiles", kubelet.container_log_max_files);
  take(from, "podPidsLimit", kubelet.pod_pids_limit);
  take(from, "failSwapOn", kubelet.fail_swap_on);
  return kubelet;
}

LinuxOsConfig read_linux(const json& from) {
  LinuxOsConfig config;
  take(from, "swapFileSize", config.swap_file_size);
  take(from, "transparentHugePageEnabled", config.transparent_huge_page_enabled);
  take(from, "transparentHugePageDefrag", config.transparent_huge_page_defrag);
  config.sysctls = from.value("sysctls", json::object());
  return config;
}

// A part of the status counts only when its condition is True and was judged for this very generation of the spec.
bool condition_holds(const json& status, std::string_view type, int64_t generation) {
  const auto conditions = status.find("conditions");
  if (conditions == status.end() || !conditions->is_array()) return true;  // a hand-written status has none
  for (const json& condition : *conditions) {
    if (condition.value("type", "") != type) continue;
    return condition.value("status", "") == "True" && condition.value("observedGeneration", generation) == generation;
  }
  return false;
}

bool has_condition(const json& status, std::string_view type) {
  const auto conditions = status.find("conditions");
  if (conditions == status.end() || !conditions->is_array()) return false;
  return std::any_of(conditions->begin(), conditions->end(),
                     [type](const json& condition) { return condition.value("type", "") == type; });
}

NodeClassStatus read_status(const json& object) {
  NodeClassStatus status;
  const auto from = object.find("status");
  if (from == object.end() || !from->is_object()) return status;
  const int64_t generation = object.contains("metadata") && object["metadata"].is_object()
                                 ? object["metadata"].value("generation", int64_t{0})
                                 : int64_t{0};
  status.ready = !has_condition(*from, "Ready") || condition_holds(*from, "Ready", generation);
  if (condition_holds(*from, "KubernetesVersionReady", generation)) {
    take(*from, "kubernetesVersion", status.kubernetes_version);
    if (status.kubernetes_version && status.kubernetes_version->empty()) status.kubernetes_version.reset();
  }
  if (!condition_holds(*from, "ImagesReady", generation) || !from->contains("images")) return status;
  for (const json& image : (*from)["images"]) {
    StatusImage read;
    read.id = image.value("id", "");
    for (const json& requirement : image.value("requirements", json::array())) {
      const auto values = requirement.value("values", std::vector<std::string>{});
      if (values.size() != 1) continue;
      if (requirement.value("key", "") == "kubernetes.io/arch") read.arch = values[0];
      if (requirement.value("key", "") == "karpenter.azure.com/sku-hyperv-generation")
        read.hyperv_generation = values[0];
    }
    status.images.push_back(std::move(read));
  }
  return status;
}

}  // namespace

void apply_node_class_defaults(json& object) {
  const bool old = object.is_object() && object.value("kind", "") == "NodeTemplate";
  if (object.is_object() && !object.contains("spec")) object["spec"] = json::object();
  apply_defaults(old ? kNodeTemplateObject : kNodeClassObject, object);
}

bool is_node_class(const json& object) {
  if (!object.is_object()) return false;
  const auto kind = object.find("kind");
  if (kind != object.end()) return *kind == "AKSNodeClass";
  const auto spec = object.find("spec");
  return spec != object.end() && spec->is_object();
}

std::optional<NodeClass> read_node_class(const Document& doc, Findings& findings) {
  const bool old = doc.kind() == "NodeTemplate";
  json object = doc.value;
  apply_node_class_defaults(object);  // first, as the API server does: rules see the defaults
  Findings found;
  check(old ? kNodeTemplateObject : kNodeClassObject, object, "", doc, found);
  check_name(doc, found);
  const bool sound = !has_errors(found);
  findings.insert(findings.end(), std::make_move_iterator(found.begin()), std::make_move_iterator(found.end()));
  if (!sound) return std::nullopt;

  const json& spec = object["spec"];
  NodeClass result;
  result.name = doc.name();
  if (doc.value.contains("spec"))
    for (const auto& [name, value] : doc.value["spec"].items()) result.written[name] = !value.is_null();
  take(spec, "vnetSubnetID", result.vnet_subnet_id);
  result.os_disk_size_gb = spec.value("osDiskSizeGB", 128);
  result.image_family = spec.value("imageFamily", "Ubuntu");
  take(spec, "imageVersion", result.image_version);
  result.fips = spec.value("fipsMode", "") == "FIPS";
  result.tags = spec.value("tags", std::map<std::string, std::string>{});
  take(spec, "maxPods", result.max_pods);
  if (spec.contains("kubelet")) result.kubelet = read_kubelet(spec["kubelet"]);
  if (const auto it = spec.find("security"); it != spec.end()) {
    result.encryption_at_host = it->value("encryptionAtHost", false);
    const json launch = it->value("trustedLaunch", json::object());
    result.vtpm = launch.value("vtpm", false);
    result.secure_boot = launch.value("secureBoot", false);
  }
  if (const auto it = spec.find("localDNS"); it != spec.end()) {
    const std::string mode = it->value("mode", "");
    result.local_dns = mode == "Required"    ? LocalDnsMode::kRequired
                       : mode == "Preferred" ? LocalDnsMode::kPreferred
                                             : LocalDnsMode::kDisabled;
    result.local_dns_zones = *it;
  }
  if (const auto it = spec.find("gpu"); it != spec.end()) result.gpu_driver = it->value("mode", "Driver") == "Driver";
  if (const auto it = spec.find("artifactStreaming"); it != spec.end())
    result.artifact_streaming = it->value("enabled", false);
  if (const auto it = spec.find("linuxOSConfig"); it != spec.end()) result.linux_os_config = read_linux(*it);
  result.status = read_status(object);
  if (auto hash = node_class_hash(spec)) result.hash = *hash;
  return result;
}

}  // namespace sunup::fleet

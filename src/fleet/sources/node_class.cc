#include "fleet/sources/node_class.h"

#include <algorithm>

#include "fleet/sources/conditions.h"
#include "fleet/sources/node_class_hash.h"
#include "fleet/sources/node_class_rules.h"

namespace sunup::fleet {
namespace {

using nlohmann::json;

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

int64_t whole_of(const json& from, const char* name, int64_t otherwise) {
  const auto it = from.find(name);
  return it != from.end() && it->is_number_integer() ? it->get<int64_t>() : otherwise;
}

bool has_condition(const json& status, std::string_view type) {
  const auto conditions = status.find("conditions");
  if (conditions == status.end() || !conditions->is_array()) return false;
  return std::any_of(conditions->begin(), conditions->end(),
                     [type](const json& condition) { return text_of(condition, "type") == type; });
}

// The versions to which a class can be pinned.
void read_versions(const json& from, NodeClassStatus& status) {
  if (!from.is_object()) return;
  if (std::string version = text_of(from, "controlPlaneKubernetesVersion"); !version.empty())
    status.control_plane_version = std::move(version);
  if (std::string version = text_of(from, "latestImageVersion"); !version.empty())
    status.latest_image_version = std::move(version);
  const auto used = from.find("recentlyUsedVersions");
  if (used == from.end() || !used->is_array()) return;
  for (const json& one : *used)
    status.used_versions.push_back({text_of(one, "imageVersion"), text_of(one, "kubernetesVersion")});
}

NodeClassStatus read_status(const json& object) {
  NodeClassStatus status;
  const auto from = object.find("status");
  if (from == object.end() || !from->is_object()) return status;
  status.ready = !has_condition(*from, "Ready") || condition_holds(object, "Ready");
  if (const auto versions = from->find("versions"); versions != from->end()) read_versions(*versions, status);
  if (condition_holds(object, "KubernetesVersionReady")) {
    if (std::string version = text_of(*from, "kubernetesVersion"); !version.empty())
      status.kubernetes_version = std::move(version);
  }
  status.local_dns_enabled = condition_holds(object, "LocalDNSReady") && text_of(*from, "localDNSState") == "Enabled";
  const auto images = from->find("images");
  if (!condition_holds(object, "ImagesReady") || images == from->end() || !images->is_array()) return status;
  for (const json& image : *images) {
    StatusImage read;
    read.id = text_of(image, "id");
    if (read.id.empty()) continue;
    const auto requirements = image.find("requirements");
    if (requirements != image.end() && requirements->is_array()) {
      for (const json& requirement : *requirements) {
        const std::string key = text_of(requirement, "key");
        const auto values = requirement.is_object() ? requirement.find("values") : requirement.end();
        if (key.empty() || values == requirement.end() || !values->is_array() || values->size() != 1 ||
            !values->front().is_string())
          continue;
        if (key == "kubernetes.io/arch") read.arch = values->front().get<std::string>();
        if (key == "karpenter.azure.com/sku-hyperv-generation")
          read.hyperv_generation = values->front().get<std::string>();
      }
    }
    status.images.push_back(std::move(read));
  }
  return status;
}

const Object& rules_of(const json& object) {
  if (text_of(object, "kind") == "NodeTemplate") return kNodeTemplateObject;
  return text_of(object, "apiVersion") == "karpenter.azure.com/v1alpha2" ? kAlphaNodeClassObject : kNodeClassObject;
}

// Adds the name of every field below `path` that is set: "kubelet", "kubelet.cpuCFSQuota".
void add_names(const json& object, const std::string& path, std::set<std::string, std::less<>>& names) {
  if (!object.is_object()) return;
  for (const auto& [name, value] : object.items()) {
    if (value.is_null()) continue;
    const std::string at = path.empty() ? name : path + "." + name;
    names.insert(at);
    add_names(value, at, names);
  }
}

}  // namespace

bool condition_holds(const json& node_class, std::string_view type) {
  const auto status = node_class.find("status");
  if (status == node_class.end() || !status->is_object()) return false;
  const auto conditions = status->find("conditions");
  if (conditions == status->end() || !conditions->is_array()) return true;
  const auto metadata = node_class.find("metadata");
  const bool known = metadata != node_class.end() && metadata->is_object();
  const int64_t generation = known ? whole_of(*metadata, "generation", 0) : 0;
  for (const json& condition : *conditions) {
    if (text_of(condition, "type") != type) continue;
    return text_of(condition, "status") == "True" &&
           whole_of(condition, "observedGeneration", generation) == generation;
  }
  return false;
}

void apply_node_class_defaults(json& object) {
  if (object.is_object() && !object.contains("spec")) object["spec"] = json::object();
  apply_defaults(rules_of(object), object);
}

bool is_node_class(const json& object) {
  if (!object.is_object()) return false;
  const auto kind = object.find("kind");
  if (kind != object.end()) return *kind == "AKSNodeClass";
  const auto spec = object.find("spec");
  return spec != object.end() && spec->is_object();
}

std::optional<NodeClass> read_node_class(const Document& doc, Findings& findings) {
  json object = doc.value;
  apply_node_class_defaults(object);  // first, as the API server does, so that the rules apply to the defaults
  Findings found;
  check(rules_of(object), object, "", doc, found);
  check_name(doc, found);
  const bool sound = !has_errors(found);
  findings.insert(findings.end(), std::make_move_iterator(found.begin()), std::make_move_iterator(found.end()));
  if (!sound) return std::nullopt;

  const json& spec = object["spec"];
  NodeClass result;
  result.name = doc.name();
  if (doc.value.contains("spec")) add_names(doc.value["spec"], "", result.written);
  take(spec, "vnetSubnetID", result.vnet_subnet_id);
  result.os_disk_size_gb = spec.value("osDiskSizeGB", 128);
  result.image_family = spec.value("imageFamily", "Ubuntu");
  const bool pins = &rules_of(object) != &kNodeClassObject;
  if (pins) {
    take(spec, "imageVersion", result.image_version);
    result.image_version_field = "spec.imageVersion";
  }
  if (const auto it = spec.find("versions"); it != spec.end()) {
    take(*it, "kubernetesVersion", result.kubernetes_version);
    if (it->contains("nodeImageVersion")) {
      take(*it, "nodeImageVersion", result.image_version);
      result.image_version_field = kVersionsImageField;
    }
  }
  result.managed_os_disk = text_of(spec, "osDiskType") == "Managed";
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
  // Once a controller has enabled it, "Preferred" is never disabled again.
  if (result.local_dns == LocalDnsMode::kPreferred && result.status.local_dns_enabled)
    result.local_dns = LocalDnsMode::kRequired;
  if (auto hash = node_class_hash(spec)) result.hash = *hash;
  return result;
}

}  // namespace sunup::fleet

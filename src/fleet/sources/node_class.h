// AKSNodeClass: the Azure-specific settings of nodes. Also read from the older NodeTemplate.
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/result.h"
#include "fleet/sources/crd_rules.h"
#include "fleet/sources/document.h"
#include "fleet/sources/provenance.h"

namespace sunup::fleet {

struct KubeletSettings {
  std::optional<std::string> cpu_manager_policy;
  std::optional<bool> cpu_cfs_quota;
  std::optional<std::string> cpu_cfs_quota_period;
  std::optional<int> image_gc_high_threshold_percent;
  std::optional<int> image_gc_low_threshold_percent;
  std::optional<std::string> topology_manager_policy;
  std::vector<std::string> allowed_unsafe_sysctls;
  std::optional<std::string> container_log_max_size;
  std::optional<int> container_log_max_files;
  std::optional<int64_t> pod_pids_limit;
  std::optional<bool> fail_swap_on;
};

enum class LocalDnsMode { kDisabled, kPreferred, kRequired };

struct LinuxOsConfig {
  std::optional<std::string> swap_file_size;
  std::optional<std::string> transparent_huge_page_enabled;
  std::optional<std::string> transparent_huge_page_defrag;
  nlohmann::json sysctls;  // checked; camelCase names as in the API
};

// An image in the class's status, usable for instance types that meet the requirements.
struct StatusImage {
  std::string id;
  std::optional<std::string> arch;
  std::optional<std::string> hyperv_generation;
};

// An image that nodes of the class had before, with the Kubernetes version of that time.
struct UsedVersion {
  std::string image_version;
  std::string kubernetes_version;
};

struct NodeClassStatus {
  std::optional<std::string> kubernetes_version;     // only if its condition holds for this generation
  std::vector<StatusImage> images;                   // in order of priority; likewise
  bool local_dns_enabled = false;                    // likewise
  std::optional<std::string> control_plane_version;  // status.versions.controlPlaneKubernetesVersion
  std::optional<std::string> latest_image_version;   // status.versions.latestImageVersion
  std::vector<UsedVersion> used_versions;            // status.versions.recentlyUsedVersions
  bool ready = true;                                 // false only if the Ready condition is false
};

struct NodeClass {
  std::string name;
  std::optional<std::string> vnet_subnet_id;
  int os_disk_size_gb = 128;
  std::string image_family = "Ubuntu";
  bool managed_os_disk = false;                   // osDiskType: Managed
  std::optional<std::string> image_version;       // a pin
  std::string_view image_version_field = {};      // that sets it: "spec.imageVersion" in older API versions
  std::optional<std::string> kubernetes_version;  // spec.versions.kubernetesVersion
  bool fips = false;
  std::map<std::string, std::string> tags;
  std::optional<int> max_pods;
  std::optional<KubeletSettings> kubelet;
  bool encryption_at_host = false;
  bool vtpm = false;
  bool secure_boot = false;
  LocalDnsMode local_dns = LocalDnsMode::kDisabled;
  nlohmann::json local_dns_zones;  // {"vnetDNSOverrides": [...], "kubeDNSOverrides": [...]}, checked
  bool gpu_driver = true;          // gpu.mode: Driver
  bool artifact_streaming = false;
  std::optional<LinuxOsConfig> linux_os_config;
  NodeClassStatus status;
  std::set<std::string, std::less<>>
      written;       // the spec fields that the user set: "osDiskSizeGB", "kubelet.cpuCFSQuota"
  std::string hash;  // of the spec with its defaults

  bool trusted_launch() const { return vtpm || secure_boot; }
  // The source of a field of the spec: the user, or the API, which fills in its default.
  Source source_of(std::string_view field) const {
    return written.contains(field) ? Source::kNodeClass : Source::kHardcoded;
  }
};

inline constexpr std::string_view kVersionsImageField = "spec.versions.nodeImageVersion";

// Whether a part of an AKSNodeClass's status can be used: the condition is True, and was judged for this generation of
// the spec. A status without conditions is written by hand, and can.
bool condition_holds(const nlohmann::json& node_class, std::string_view type);

// An AKSNodeClass, or the spec of one without its kind.
bool is_node_class(const nlohmann::json& object);

void apply_node_class_defaults(nlohmann::json& object);

// Checks every rule of the custom resource; returns a node class only if no finding is an error.
std::optional<NodeClass> read_node_class(const Document& doc, Findings& findings);

}  // namespace sunup::fleet

#include "fleet/sources/node_class_rules.h"

#include <algorithm>
#include <array>
#include <functional>

#include "base/text.h"
#include "fleet/sources/cluster_version.h"
#include "fleet/sources/conditions.h"
#include "fleet/sources/image_versions.h"
#include "fleet/sources/patterns.h"

namespace sunup::fleet {
namespace {

using nlohmann::json;

bool trusted_launch(const json& spec) {
  const auto security = spec.find("security");
  if (security == spec.end()) return false;
  const auto launch = security->find("trustedLaunch");
  return launch != security->end() && (launch->value("vtpm", false) || launch->value("secureBoot", false));
}

// --- kubelet

constexpr Property kSysctlName{.pattern = &kSysctl};
constexpr Property kKubeletFields[] = {
    {.name = "cpuManagerPolicy", .one_of = "none|static", .default_json = R"("none")"},
    {.name = "cpuCFSQuota", .shape = Shape::kBool, .default_json = "true"},
    {.name = "cpuCFSQuotaPeriod", .pattern = &kGoDuration, .default_json = R"("100ms")"},
    {.name = "imageGCHighThresholdPercent", .shape = Shape::kInt, .min = 0, .max = 100},
    {.name = "imageGCLowThresholdPercent", .shape = Shape::kInt, .min = 0, .max = 100},
    {.name = "topologyManagerPolicy",
     .one_of = "restricted|best-effort|none|single-numa-node",
     .default_json = R"("none")"},
    {.name = "allowedUnsafeSysctls", .shape = Shape::kList, .item = &kSysctlName},
    {.name = "containerLogMaxSize", .pattern = &kLogSize, .default_json = R"("50Mi")"},
    {.name = "containerLogMaxFiles", .shape = Shape::kInt, .min = 2, .max = kMaxInt32, .default_json = "5"},
    {.name = "podPidsLimit", .shape = Shape::kInt},
    {.name = "failSwapOn", .shape = Shape::kBool},
};
constexpr Condition kKubeletConditions[] = {
    {"imageGCHighThresholdPercent must be greater than imageGCLowThresholdPercent",
     [](const json& self) {
       return ordered(self, "imageGCLowThresholdPercent", "imageGCHighThresholdPercent", std::less<>{});
     },
     "imageGCHighThresholdPercent"},
};
constexpr Object kKubelet{.fields = kKubeletFields, .conditions = kKubeletConditions};

// --- security, gpu, artifactStreaming

constexpr Property kTrustedLaunchFields[] = {{.name = "vtpm", .shape = Shape::kBool},
                                             {.name = "secureBoot", .shape = Shape::kBool}};
constexpr Object kTrustedLaunch{.fields = kTrustedLaunchFields};
constexpr Property kSecurityFields[] = {
    {.name = "encryptionAtHost", .shape = Shape::kBool},
    {.name = "trustedLaunch", .shape = Shape::kObject, .object = &kTrustedLaunch},
};
constexpr Object kSecurity{.fields = kSecurityFields};
constexpr Property kGpuFields[] = {{.name = "mode", .one_of = "Driver|None", .default_json = R"("Driver")"}};
constexpr Object kGpu{.fields = kGpuFields};
constexpr Property kStreamingFields[] = {{.name = "enabled", .shape = Shape::kBool}};
constexpr Object kStreaming{.fields = kStreamingFields};

// --- localDNS

constexpr Property kZoneFields[] = {
    {.name = "zone", .required = true, .min = 1, .max = 254, .pattern = &kDnsZone},
    {.name = "queryLogging", .required = true, .one_of = "Error|Log"},
    {.name = "protocol", .required = true, .one_of = "PreferUDP|ForceTCP"},
    {.name = "forwardDestination", .required = true, .one_of = "ClusterCoreDNS|VnetDNS"},
    {.name = "forwardPolicy", .required = true, .one_of = "Sequential|RoundRobin|Random"},
    {.name = "maxConcurrent", .shape = Shape::kInt, .required = true, .min = 0, .max = kMaxInt32},
    {.name = "cacheDuration", .required = true, .pattern = &kSimpleDuration},
    {.name = "serveStaleDuration", .required = true, .pattern = &kSimpleDuration},
    {.name = "serveStale", .required = true, .one_of = "Verify|Immediate|Disable"},
};
constexpr Condition kZoneConditions[] = {
    {"'cluster.local' cannot be forwarded to VnetDNS",
     [](const json& self) {
       return !(text_of(self, "zone").ends_with("cluster.local") && text_of(self, "forwardDestination") == "VnetDNS");
     },
     "forwardDestination"},
    {"serveStale Verify cannot be used with protocol ForceTCP",
     [](const json& self) {
       return !(text_of(self, "serveStale") == "Verify" && text_of(self, "protocol") == "ForceTCP");
     },
     "serveStale"},
};
constexpr Object kZone{.fields = kZoneFields, .conditions = kZoneConditions};

bool has_both_zones(const json& zones) {
  const auto has = [&zones](const char* zone) {
    return std::any_of(zones.begin(), zones.end(), [zone](const json& z) { return text_of(z, "zone") == zone; });
  };
  return has(".") && has("cluster.local");
}

bool zones_differ(const json& zones) {
  for (size_t i = 0; i < zones.size(); ++i)
    for (size_t j = 0; j < i; ++j)
      if (zones[i]["zone"] == zones[j]["zone"]) return false;
  return true;
}

constexpr Property kLocalDnsFields[] = {
    {.name = "mode", .required = true, .one_of = "Preferred|Required|Disabled"},
    {.name = "vnetDNSOverrides", .shape = Shape::kList, .required = true, .max = 100, .object = &kZone},
    {.name = "kubeDNSOverrides", .shape = Shape::kList, .required = true, .max = 100, .object = &kZone},
};
constexpr Condition kLocalDnsConditions[] = {
    {"vnetDNSOverrides must contain the zones '.' and 'cluster.local'",
     [](const json& self) { return has_both_zones(self["vnetDNSOverrides"]); }, "vnetDNSOverrides"},
    {"kubeDNSOverrides must contain the zones '.' and 'cluster.local'",
     [](const json& self) { return has_both_zones(self["kubeDNSOverrides"]); }, "kubeDNSOverrides"},
    {"vnetDNSOverrides must name each zone once",
     [](const json& self) { return zones_differ(self["vnetDNSOverrides"]); }, "vnetDNSOverrides"},
    {"kubeDNSOverrides must name each zone once",
     [](const json& self) { return zones_differ(self["kubeDNSOverrides"]); }, "kubeDNSOverrides"},
    {"the root zone '.' cannot be forwarded to ClusterCoreDNS from vnetDNSOverrides",
     [](const json& self) {
       return std::none_of(self["vnetDNSOverrides"].begin(), self["vnetDNSOverrides"].end(), [](const json& zone) {
         return text_of(zone, "zone") == "." && text_of(zone, "forwardDestination") == "ClusterCoreDNS";
       });
     },
     "vnetDNSOverrides"},
    {"external domains cannot be forwarded to ClusterCoreDNS from vnetDNSOverrides",
     [](const json& self) {
       return std::none_of(self["vnetDNSOverrides"].begin(), self["vnetDNSOverrides"].end(), [](const json& zone) {
         const std::string name = text_of(zone, "zone");
         return name != "." && !name.ends_with("cluster.local") &&
                text_of(zone, "forwardDestination") == "ClusterCoreDNS";
       });
     },
     "vnetDNSOverrides"},
};
constexpr Object kLocalDns{.fields = kLocalDnsFields, .conditions = kLocalDnsConditions};

// --- the spec

bool is_tag_key(std::string_view key) {
  return !key.empty() && unicode::length(key) <= 512 && key.find_first_of("<>%&?\\") == key.npos;
}
bool is_tag_value(std::string_view value) {
  return unicode::length(value) <= 256;
}
constexpr Pattern kTagKey{is_tag_key, "1 to 512 characters, none of < > % & ? \\"};
constexpr Pattern kTagValue{is_tag_value, "at most 256 characters"};

constexpr Pattern kImageVersion{is_image_version, "^\\d+(\\.\\d+)*$"};

// A release by its three numbers, without a v.
bool is_plain_release(std::string_view text) {
  return is_release_version(text) && text.find_first_not_of("0123456789.") == text.npos;
}
constexpr Pattern kPlainRelease{is_plain_release, "three numbers, such as 1.34.2"};

constexpr Property kVersionsFields[] = {
    {.name = "kubernetesVersion", .pattern = &kPlainRelease},
    {.name = "nodeImageVersion", .pattern = &kImageVersion},
};
constexpr Condition kVersionsConditions[] = {
    {"nodeImageVersion needs kubernetesVersion: an image is pinned together with the version it is for",
     [](const json& self) { return !self.contains("nodeImageVersion") || self.contains("kubernetesVersion"); },
     "nodeImageVersion"},
};
constexpr Object kVersions{.fields = kVersionsFields, .conditions = kVersionsConditions};

constexpr Property kSpecFields[] = {
    {.name = "vnetSubnetID", .pattern = &kSubnetId},
    {.name = "osDiskSizeGB", .shape = Shape::kInt, .min = 30, .max = 2048, .default_json = "128"},
    {.name = "osDiskType", .one_of = "Managed"},
    {.name = "imageFamily",
     .one_of = "Ubuntu|Ubuntu2204|Ubuntu2404|Ubuntu2604|AzureLinux|AzureContainerLinux",
     .default_json = R"("Ubuntu")"},
    {.name = "fipsMode", .one_of = "FIPS|Disabled"},
    {.name = "tags", .shape = Shape::kMap, .pattern = &kTagValue, .keys = &kTagKey},
    {.name = "maxPods", .shape = Shape::kInt, .min = 10, .max = 250},
    {.name = "kubelet", .shape = Shape::kObject, .object = &kKubelet},
    {.name = "security", .shape = Shape::kObject, .object = &kSecurity},
    {.name = "localDNS", .shape = Shape::kObject, .object = &kLocalDns},
    {.name = "gpu", .shape = Shape::kObject, .object = &kGpu},
    {.name = "artifactStreaming", .shape = Shape::kObject, .object = &kStreaming},
    {.name = "linuxOSConfig", .shape = Shape::kObject, .object = &kLinuxOsConfigObject},
    {.name = "versions", .shape = Shape::kObject, .object = &kVersions},
};
bool fips(const json& spec) {
  return text_of(spec, "fipsMode") == "FIPS";
}
constexpr Condition kSpecConditions[] = {
    {"FIPS is not supported for Ubuntu2404 and Ubuntu2604",
     [](const json& s) {
       const std::string family = text_of(s, "imageFamily");
       return !fips(s) || (!family.empty() && family != "Ubuntu2404" && family != "Ubuntu2604");
     },
     "fipsMode"},
    {"FIPS on Ubuntu2204 needs trusted launch: security.trustedLaunch.vtpm or .secureBoot must be true",
     [](const json& s) { return !fips(s) || text_of(s, "imageFamily") != "Ubuntu2204" || trusted_launch(s); },
     "fipsMode"},
    {"trusted launch with FIPS is supported for Ubuntu, Ubuntu2204 and AzureContainerLinux only",
     [](const json& s) {
       const std::string family = text_of(s, "imageFamily");
       return !fips(s) || !trusted_launch(s) || family.empty() || family == "Ubuntu" || family == "Ubuntu2204" ||
              family == "AzureContainerLinux";
     },
     "security.trustedLaunch"},
    {"AzureContainerLinux needs trusted launch: security.trustedLaunch.vtpm or .secureBoot must be true",
     [](const json& s) { return text_of(s, "imageFamily") != "AzureContainerLinux" || trusted_launch(s); },
     "imageFamily"},
    {"AzureContainerLinux needs an osDiskSizeGB of at least 60",
     [](const json& s) {
       return text_of(s, "imageFamily") != "AzureContainerLinux" || s.value("osDiskSizeGB", 128) >= 60;
     },
     "osDiskSizeGB"},
    {"linuxOSConfig.swapFileSize needs kubelet.failSwapOn to be set to false",
     [](const json& s) {
       const auto linux_config = s.find("linuxOSConfig");
       if (linux_config == s.end() || !linux_config->contains("swapFileSize")) return true;
       const auto kubelet = s.find("kubelet");
       return kubelet != s.end() && kubelet->contains("failSwapOn") && !kubelet->value("failSwapOn", true);
     },
     "linuxOSConfig.swapFileSize"},
};
constexpr Object kSpec{.fields = kSpecFields, .conditions = kSpecConditions};

// v1alpha2 could pin the image version.
constexpr Property kImageVersionField{.name = "imageVersion", .pattern = &kImageVersion};
constexpr auto kAlphaSpecFields = [] {
  std::array<Property, std::size(kSpecFields) + 1> fields;
  std::copy(std::begin(kSpecFields), std::end(kSpecFields), fields.begin());
  fields.back() = kImageVersionField;
  return fields;
}();
constexpr Object kAlphaSpec{.fields = kAlphaSpecFields, .conditions = kSpecConditions};

constexpr Property kAlphaFields[] = {
    {.name = "apiVersion", .required = true, .one_of = "karpenter.azure.com/v1alpha2"},
    {.name = "kind", .required = true, .one_of = "AKSNodeClass"},
    {.name = "metadata", .shape = Shape::kAny},
    {.name = "spec", .shape = Shape::kObject, .object = &kAlphaSpec, .default_json = "{}"},
    {.name = "status", .shape = Shape::kAny},
};

constexpr Property kNodeClassFields[] = {
    {.name = "apiVersion", .required = true, .one_of = "karpenter.azure.com/v1beta1|karpenter.azure.com/v1alpha2"},
    {.name = "kind", .required = true, .one_of = "AKSNodeClass"},
    {.name = "metadata", .shape = Shape::kAny},
    {.name = "spec", .shape = Shape::kObject, .object = &kSpec, .default_json = "{}"},
    {.name = "status", .shape = Shape::kAny},
};

constexpr int64_t kLargestOsDiskGb = 4095;  // Azure's limit; the older object has none
constexpr Property kTemplateSpecFields[] = {
    {.name = "osDiskSizeGB", .shape = Shape::kInt, .min = 100, .max = kLargestOsDiskGb, .default_json = "128"},
    {.name = "imageFamily", .one_of = "Ubuntu2204", .default_json = R"("Ubuntu2204")"},
    kImageVersionField,
    {.name = "tags", .shape = Shape::kMap, .pattern = &kTagValue, .keys = &kTagKey},
};
constexpr Object kTemplateSpec{.fields = kTemplateSpecFields};
constexpr Property kTemplateFields[] = {
    {.name = "apiVersion", .required = true},
    {.name = "kind", .required = true, .one_of = "NodeTemplate"},
    {.name = "metadata", .shape = Shape::kAny},
    {.name = "spec", .shape = Shape::kObject, .object = &kTemplateSpec, .default_json = "{}"},
    {.name = "status", .shape = Shape::kAny},
};

}  // namespace

const Object kNodeClassObject{.fields = kNodeClassFields};
const Object kAlphaNodeClassObject{.fields = kAlphaFields};
const Object kNodeTemplateObject{.fields = kTemplateFields};

}  // namespace sunup::fleet

#include "fleet/launch/provision_profile.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/text.h"
#include "contract/formats.h"
#include "fleet/sources/cluster_version.h"
#include "fleet/sources/patterns.h"

namespace sunup::fleet {
namespace {

using nlohmann::json;

constexpr double kMostCpus = 4096;
constexpr double kMostMemoryGib = 65536;
constexpr size_t kMostLabels = 1000;
constexpr size_t kMostTaints = 1000;

// Refuses with an exception inside this file, because nearly every line can.
struct Refusal {
  Error error;
};
[[noreturn]] void refuse(std::string_view member, std::string_view why) {
  throw Refusal{Error(fmt::format("{} {}", member, why))};
}

// A member of an object, with its name in messages.
class Member {
 public:
  Member(const json& object, std::string path) : value_(object), path_(std::move(path)) {}

  // Missing and null are equivalent.
  bool given() const { return !value_.is_null(); }
  const std::string& path() const { return path_; }
  const json& value() const { return value_; }

  Member at(const char* name) const {
    static const json kNone;
    if (!given()) return {kNone, path_ + "." + name};
    if (!value_.is_object()) refuse(path_, "must be an object");
    const auto it = value_.find(name);
    return {it == value_.end() ? kNone : *it, path_.empty() ? name : path_ + "." + name};
  }
  std::string text() const {
    if (!given()) refuse(path_, "is missing");
    if (!value_.is_string()) refuse(path_, "must be a string");
    return value_.get<std::string>();
  }
  std::string text_or(std::string otherwise) const { return given() ? text() : otherwise; }
  int64_t whole() const {
    if (!given()) refuse(path_, "is missing");
    if (!value_.is_number_integer()) refuse(path_, "must be a whole number");
    const auto number = value_.get<int64_t>();
    if (number < kMinInt32 || number > kMaxInt32 || (value_.is_number_unsigned() && number < 0))
      refuse(path_, "is out of range");
    return number;
  }
  int64_t whole_or(int64_t otherwise) const { return given() ? whole() : otherwise; }
  bool truth_or(bool otherwise) const {
    if (!given()) return otherwise;
    if (!value_.is_boolean()) refuse(path_, "must be true or false");
    return value_.get<bool>();
  }
  double number(double most) const {
    if (!given()) refuse(path_, "is missing");
    if (!value_.is_number()) refuse(path_, "must be a number");
    const auto number = value_.get<double>();
    if (!(number > 0 && number <= most))
      refuse(path_, fmt::format("is {}, must be above 0 and at most {}", number, most));
    return number;
  }
  std::vector<std::string> texts(size_t most) const {
    std::vector<std::string> list;
    if (!given()) return list;
    if (!value_.is_array()) refuse(path_, "must be a list");
    if (value_.size() > most) refuse(path_, fmt::format("has more than {} items", most));
    for (const json& item : value_) {
      if (!item.is_string()) refuse(path_, "must be a list of strings");
      list.push_back(item.get<std::string>());
    }
    return list;
  }

 private:
  const json& value_;
  std::string path_;
};

// The profile contains the same settings as an AKSNodeClass under other names, and the rules of that object check it.
// The paths map each field to the member of the request that it was made from.
class ClassSpec {
 public:
  void set(std::string_view field, const Member& from, json value) {
    spec_[json::json_pointer("/" + replaced(field))] = std::move(value);
    members_.emplace_back("spec." + std::string(field), from.path());
  }
  void copy(std::string_view field, const Member& from) {
    if (from.given()) set(field, from, from.value());
  }

  NodeClass read() const {
    Findings findings;
    auto read = read_node_class({{{"apiVersion", "karpenter.azure.com/v1beta1"},
                                  {"kind", "AKSNodeClass"},
                                  {"metadata", {{"name", "provision-profile"}}},
                                  {"spec", spec_}},
                                 {},
                                 ""},
                                findings);
    for (const Finding& finding : findings)
      if (finding.severity == Severity::kError || finding.rule == "unknown-field")
        refuse(member_of(finding.path), finding.message);
    return *std::move(read);
  }

 private:
  static std::string replaced(std::string_view field) {
    std::string path(field);
    for (char& c : path)
      if (c == '.') c = '/';
    return path;
  }
  std::string member_of(const std::string& field) const {
    for (auto it = members_.rbegin(); it != members_.rend(); ++it)
      if (field.starts_with(it->first)) return it->second + field.substr(it->first.size());
    return field;
  }

  json spec_ = json::object();
  std::vector<std::pair<std::string, std::string>> members_;  // field of the spec, member of the request
};

void read_kubelet(const Member& from, ClassSpec& spec) {
  if (!from.given()) return;
  spec.set("kubelet", from, json::object());
  for (const auto& [member, field] : {std::pair{"cpuManagerPolicy", "cpuManagerPolicy"},
                                      {"cpuCfsQuota", "cpuCFSQuota"},
                                      {"cpuCfsQuotaPeriod", "cpuCFSQuotaPeriod"},
                                      {"imageGcHighThreshold", "imageGCHighThresholdPercent"},
                                      {"imageGcLowThreshold", "imageGCLowThresholdPercent"},
                                      {"topologyManagerPolicy", "topologyManagerPolicy"},
                                      {"allowedUnsafeSysctls", "allowedUnsafeSysctls"},
                                      {"containerLogMaxFiles", "containerLogMaxFiles"},
                                      {"podMaxPids", "podPidsLimit"},
                                      {"failSwapOn", "failSwapOn"}})
    spec.copy(std::string("kubelet.") + field, from.at(member));
  if (const Member size = from.at("containerLogMaxSizeMB"); size.given())
    spec.set("kubelet.containerLogMaxSize", size, fmt::format("{}Mi", size.whole()));
  for (const char* unknown : {"cpuReserved", "memoryReserved", "seccompDefault"})
    if (from.at(unknown).given()) refuse(from.at(unknown).path(), "is not supported");
}

// The two APIs differ in the case of abbreviations: netIpv4TcpFinTimeout is netIPv4TCPFinTimeout.
std::string sysctl_field(std::string name) {
  for (const auto& [from, to] : {std::pair{std::string_view("Ipv4Ip"), std::string_view("IPv4IP")},
                                 {"Ipv4", "IPv4"},
                                 {"Tcpkeepalive", "TCPKeepalive"},
                                 {"Tcp", "TCP"}})
    if (const size_t at = name.find(from); at != name.npos) name.replace(at, from.size(), to);
  return name;
}

void read_linux(const Member& from, ClassSpec& spec) {
  if (!from.given()) return;
  spec.set("linuxOSConfig", from, json::object());
  spec.copy("linuxOSConfig.transparentHugePageEnabled", from.at("transparentHugePageEnabled"));
  spec.copy("linuxOSConfig.transparentHugePageDefrag", from.at("transparentHugePageDefrag"));
  if (const Member size = from.at("swapFileSizeMB"); size.given() && size.whole() != 0)
    spec.set("linuxOSConfig.swapFileSize", size, fmt::format("{}Mi", size.whole()));
  if (from.at("ulimits").given()) refuse(from.at("ulimits").path(), "is not supported");
  const Member sysctls = from.at("sysctls");
  if (!sysctls.given()) return;
  spec.set("linuxOSConfig.sysctls", sysctls, json::object());
  if (!sysctls.value().is_object()) refuse(sysctls.path(), "must be an object");
  for (const auto& [name, value] : sysctls.value().items())
    if (!value.is_null()) {
      if (name.find_first_of("./~") != name.npos) refuse(sysctls.path(), "has a member with an unknown name");
      spec.set("linuxOSConfig.sysctls." + sysctl_field(name), sysctls.at(name.c_str()), value);
    }
}

// The profile has a map by zone and seconds, the class a list and durations. The defaults are those of the API.
json zones_of(const Member& from) {
  json zones = json::array();
  if (!from.given()) return zones;
  if (!from.value().is_object()) refuse(from.path(), "must be an object");
  for (const auto& [name, value] : from.value().items()) {
    const Member zone(value, from.path() + "." + name);
    zones.push_back({{"zone", name},
                     {"queryLogging", zone.at("queryLogging").text_or("Error")},
                     {"protocol", zone.at("protocol").text_or("PreferUDP")},
                     {"forwardDestination", zone.at("forwardDestination").text_or("ClusterCoreDNS")},
                     {"forwardPolicy", zone.at("forwardPolicy").text_or("Sequential")},
                     {"maxConcurrent", zone.at("maxConcurrent").whole_or(1000)},
                     {"cacheDuration", fmt::format("{}s", zone.at("cacheDurationInSeconds").whole_or(3600))},
                     {"serveStaleDuration", fmt::format("{}s", zone.at("serveStaleDurationInSeconds").whole_or(3600))},
                     {"serveStale", zone.at("serveStale").text_or("Immediate")}});
  }
  return zones;
}

void read_local_dns(const Member& from, ClassSpec& spec) {
  if (!from.given() || from.at("mode").text_or("Preferred") == "Disabled") return;
  spec.set("localDNS", from, json::object());
  spec.set("localDNS.mode", from.at("mode"), from.at("mode").text_or("Preferred"));
  for (const char* zones : {"vnetDNSOverrides", "kubeDNSOverrides"})
    spec.set(std::string("localDNS.") + zones, from.at(zones), zones_of(from.at(zones)));
}

// "key=value:effect"; the value may be missing.
Taint read_taint(const std::string& text, const Member& from) {
  const size_t colon = text.rfind(':');
  const size_t equals = std::min(text.find('='), colon);
  Taint taint;
  if (colon == text.npos)
    refuse(from.path(), fmt::format("has '{}', which is no taint (key=value:effect)", text.substr(0, 100)));
  taint.key = text.substr(0, equals);
  if (equals < colon) taint.value = text.substr(equals + 1, colon - equals - 1);
  taint.effect = text.substr(colon + 1);
  const bool known = taint.effect == "NoSchedule" || taint.effect == "PreferNoSchedule" || taint.effect == "NoExecute";
  if (!known || !is_qualified_name(taint.key) || !contract::is_label_value(taint.value))
    refuse(from.path(), fmt::format("has '{}', which is no taint (key=value:effect)", text.substr(0, 100)));
  return taint;
}

std::vector<Taint> read_taints(const Member& from) {
  std::vector<Taint> taints;
  for (const std::string& text : from.texts(kMostTaints)) taints.push_back(read_taint(text, from));
  return taints;
}

void find_image(const Member& distro, ProvisionProfile& profile) {
  const std::string name = distro.text();
  for (const ImageFamily* family : image_families())
    for (const ImageDefinition& definition : family->images)
      if (equal_ignoring_case(definition.distro, name)) {
        profile.family = family;
        profile.definition = &definition;
        return;
      }
  refuse(distro.path(),
         fmt::format("is '{}', which is no distro of a node image that is known here", name.substr(0, 100)));
}

void read_size(const Member& profile, const Member& helper, ProvisionProfile& out) {
  InstanceType& size = out.size;
  size.name = profile.at("vmSize").text();
  if (size.name.empty() || size.name.size() > 80 || !std::all_of(size.name.begin(), size.name.end(), [](char c) {
        return is_alphanumeric(c) || c == '_' || c == '-';
      }))
    refuse(profile.at("vmSize").path(), "is not the name of a VM size");
  const std::string arch = lowered(profile.at("architecture").text());
  if (arch != "x64" && arch != "arm64") refuse(profile.at("architecture").path(), "must be x64 or Arm64");
  size.arch = arch == "x64" ? "amd64" : "arm64";
  if (size.arch != out.definition->arch)
    refuse(profile.at("architecture").path(),
           fmt::format("is {}, but the distro {} is for {}", arch, out.definition->distro, out.definition->arch));
  size.generation1 = out.definition->generation == "1";
  size.generation2 = out.definition->generation == "2";
  size.cpus = static_cast<int>(std::lround(helper.at("skuCPU").number(kMostCpus)));
  size.memory_gib = helper.at("skuMemory").number(kMostMemoryGib);
}

void refuse_other_nodes(const Member& profile) {
  const auto must_be = [&](const char* member, int64_t value, std::string_view why) {
    if (const Member given = profile.at(member); given.given() && given.whole() != value && given.whole() != 0)
      refuse(given.path(), why);
  };
  must_be("osType", 2, "must be 2 (Linux)");
  must_be("gpuInstanceProfile", 0, "is not supported");
  must_be("workloadRuntime", 0, "is not supported");
  if (profile.at("agentPoolWindowsProfile").given())
    refuse(profile.at("agentPoolWindowsProfile").path(), "is not supported");
  for (const char* required : {"name", "osType", "osSku", "storageProfile", "mode"})
    if (!profile.at(required).given()) refuse(profile.at(required).path(), "is missing");
}

ProvisionProfile read(const json& values) {
  if (!values.is_object()) throw Refusal{Error("the body must be a JSON object")};
  const Member body(values, "");
  const Member profile = body.at("provisionProfile");
  const Member helper = body.at("provisionHelperValues");
  for (const Member* part : {&profile, &helper})
    if (!part->given()) refuse(part->path(), "is missing");
  refuse_other_nodes(profile);

  ProvisionProfile out;
  find_image(profile.at("distro"), out);
  read_size(profile, helper, out);
  out.kubernetes_version = profile.at("orchestratorVersion").text();
  if (!is_release_version(out.kubernetes_version))
    refuse(profile.at("orchestratorVersion").path(), "is not the version of a Kubernetes release, such as 1.33.1");
  out.subnet_id = profile.at("vnetSubnetID").text();
  const Member labels = profile.at("customNodeLabels");
  if (labels.given() && !labels.value().is_object()) refuse(labels.path(), "must be an object");
  if (labels.given() && labels.value().size() > kMostLabels) refuse(labels.path(), "has too many labels");
  if (labels.given())
    for (const auto& [key, value] : labels.value().items()) {
      if (!contract::is_label_key(key) || !value.is_string() || !contract::is_label_value(value.get<std::string>()))
        refuse(labels.path(), fmt::format("has '{}', which is no valid label", key.substr(0, 100)));
      out.labels[key] = value.get<std::string>();
    }
  out.taints = read_taints(profile.at("nodeTaints"));
  out.startup_taints = read_taints(profile.at("nodeInitializationTaints"));

  ClassSpec spec;
  if (!profile.at("maxPods").given()) refuse(profile.at("maxPods").path(), "is missing");
  spec.copy("maxPods", profile.at("maxPods"));
  read_kubelet(profile.at("customKubeletConfig"), spec);
  read_linux(profile.at("customLinuxOSConfig"), spec);
  read_local_dns(profile.at("localDNSProfile"), spec);
  const Member streaming = profile.at("artifactStreamingProfile").at("enabled");
  if (streaming.truth_or(false)) spec.set("artifactStreaming.enabled", streaming, true);
  const Member driver = profile.at("gpuProfile").at("installGPUDriver");
  if (!driver.truth_or(false)) spec.set("gpu.mode", driver, "None");
  out.node_class = spec.read();
  const Member fips = profile.at("enableFIPS");
  if (fips.given() && fips.truth_or(false) != out.definition->fips)
    refuse(fips.path(), fmt::format("does not fit the distro {}", out.definition->distro));
  // The properties of the image determine the settings, because the VM itself is not created here.
  out.node_class.fips = out.definition->fips;
  out.node_class.vtpm = out.definition->trusted_launch;
  out.node_class.image_family = out.family->name;
  out.message_of_the_day = profile.at("messageOfTheDay").text_or("");
  out.ssh = profile.at("securityProfile").at("sshAccess").whole_or(0) == 0;
  out.kubelet_on_temporary_disk = profile.at("kubeletDiskType").whole_or(0) == 2;
  return out;
}

}  // namespace

Result<ProvisionProfile> read_provision_values(const json& values) {
  try {
    return read(values);
  } catch (const Refusal& refusal) {
    return refusal.error;
  } catch (const json::exception&) {
    return Error("a member has the wrong type");
  }
}

}  // namespace sunup::fleet

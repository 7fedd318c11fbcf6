#include "fleet/node_class_hash.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <optional>
#include <span>

#include "fleet/duration.h"
#include "fleet/fnv.h"

namespace sunup::fleet {
namespace {

using nlohmann::json;

// The hash walks records by the names their types and fields have in the API's Go types, in declaration order: both
// are part of the contract, and so is whether a field is a pointer (a zero behind a pointer counts, a bare zero does
// not).
enum class Kind { kText, kInt32, kInt64, kBool, kDuration, kNillableDuration, kTexts, kRecord, kRecords };

struct Record;
struct Field {
  std::string_view go_name;
  const char* json_name;
  Kind kind;
  const Record* record = nullptr;
};
struct Record {
  std::string_view go_name;
  std::span<const Field> fields;
};

constexpr Field kKubeletFields[] = {
    {"CPUManagerPolicy", "cpuManagerPolicy", Kind::kText},
    {"CPUCFSQuota", "cpuCFSQuota", Kind::kBool},
    {"CPUCFSQuotaPeriod", "cpuCFSQuotaPeriod", Kind::kDuration},
    {"ImageGCHighThresholdPercent", "imageGCHighThresholdPercent", Kind::kInt32},
    {"ImageGCLowThresholdPercent", "imageGCLowThresholdPercent", Kind::kInt32},
    {"TopologyManagerPolicy", "topologyManagerPolicy", Kind::kText},
    {"AllowedUnsafeSysctls", "allowedUnsafeSysctls", Kind::kTexts},
    {"ContainerLogMaxSize", "containerLogMaxSize", Kind::kText},
    {"ContainerLogMaxFiles", "containerLogMaxFiles", Kind::kInt32},
    {"PodPidsLimit", "podPidsLimit", Kind::kInt64},
    {"FailSwapOn", "failSwapOn", Kind::kBool},
};
constexpr Record kKubelet{"KubeletConfiguration", kKubeletFields};

constexpr Field kTrustedLaunchFields[] = {{"VTPM", "vtpm", Kind::kBool}, {"SecureBoot", "secureBoot", Kind::kBool}};
constexpr Record kTrustedLaunch{"TrustedLaunch", kTrustedLaunchFields};
constexpr Field kSecurityFields[] = {
    {"EncryptionAtHost", "encryptionAtHost", Kind::kBool},
    {"TrustedLaunch", "trustedLaunch", Kind::kRecord, &kTrustedLaunch},
};
constexpr Record kSecurity{"Security", kSecurityFields};

constexpr Field kZoneFields[] = {
    {"Zone", "zone", Kind::kText},
    {"QueryLogging", "queryLogging", Kind::kText},
    {"Protocol", "protocol", Kind::kText},
    {"ForwardDestination", "forwardDestination", Kind::kText},
    {"ForwardPolicy", "forwardPolicy", Kind::kText},
    {"MaxConcurrent", "maxConcurrent", Kind::kInt32},
    {"CacheDuration", "cacheDuration", Kind::kNillableDuration},
    {"ServeStaleDuration", "serveStaleDuration", Kind::kNillableDuration},
    {"ServeStale", "serveStale", Kind::kText},
};
constexpr Record kZone{"LocalDNSZoneOverride", kZoneFields};
constexpr Field kLocalDnsFields[] = {
    {"Mode", "mode", Kind::kText},
    {"VnetDNSOverrides", "vnetDNSOverrides", Kind::kRecords, &kZone},
    {"KubeDNSOverrides", "kubeDNSOverrides", Kind::kRecords, &kZone},
};
constexpr Record kLocalDns{"LocalDNS", kLocalDnsFields};

constexpr Field kGpuFields[] = {{"Mode", "mode", Kind::kText}};
constexpr Record kGpu{"GPU", kGpuFields};
constexpr Field kStreamingFields[] = {{"Enabled", "enabled", Kind::kBool}};
constexpr Record kStreaming{"ArtifactStreaming", kStreamingFields};

constexpr Field kSysctlFields[] = {
    {"FsAioMaxNr", "fsAioMaxNr", Kind::kInt32},
    {"FsFileMax", "fsFileMax", Kind::kInt32},
    {"FsInotifyMaxUserWatches", "fsInotifyMaxUserWatches", Kind::kInt32},
    {"FsNrOpen", "fsNrOpen", Kind::kInt32},
    {"KernelThreadsMax", "kernelThreadsMax", Kind::kInt32},
    {"NetCoreNetdevMaxBacklog", "netCoreNetdevMaxBacklog", Kind::kInt32},
    {"NetCoreOptmemMax", "netCoreOptmemMax", Kind::kInt32},
    {"NetCoreRmemDefault", "netCoreRmemDefault", Kind::kInt32},
    {"NetCoreRmemMax", "netCoreRmemMax", Kind::kInt32},
    {"NetCoreSomaxconn", "netCoreSomaxconn", Kind::kInt32},
    {"NetCoreWmemDefault", "netCoreWmemDefault", Kind::kInt32},
    {"NetCoreWmemMax", "netCoreWmemMax", Kind::kInt32},
    {"NetIPv4IPLocalPortRange", "netIPv4IPLocalPortRange", Kind::kText},
    {"NetIPv4NeighDefaultGcThresh1", "netIPv4NeighDefaultGcThresh1", Kind::kInt32},
    {"NetIPv4NeighDefaultGcThresh2", "netIPv4NeighDefaultGcThresh2", Kind::kInt32},
    {"NetIPv4NeighDefaultGcThresh3", "netIPv4NeighDefaultGcThresh3", Kind::kInt32},
    {"NetIPv4TCPFinTimeout", "netIPv4TCPFinTimeout", Kind::kInt32},
    {"NetIPv4TCPKeepaliveProbes", "netIPv4TCPKeepaliveProbes", Kind::kInt32},
    {"NetIPv4TCPKeepaliveTime", "netIPv4TCPKeepaliveTime", Kind::kInt32},
    {"NetIPv4TCPMaxSynBacklog", "netIPv4TCPMaxSynBacklog", Kind::kInt32},
    {"NetIPv4TCPMaxTwBuckets", "netIPv4TCPMaxTwBuckets", Kind::kInt32},
    {"NetIPv4TCPTwReuse", "netIPv4TCPTwReuse", Kind::kBool},
    {"NetIPv4TCPKeepaliveIntvl", "netIPv4TCPKeepaliveIntvl", Kind::kInt32},
    {"NetNetfilterNfConntrackBuckets", "netNetfilterNfConntrackBuckets", Kind::kInt32},
    {"NetNetfilterNfConntrackMax", "netNetfilterNfConntrackMax", Kind::kInt32},
    {"VMMaxMapCount", "vmMaxMapCount", Kind::kInt32},
    {"VMSwappiness", "vmSwappiness", Kind::kInt32},
    {"VMVfsCachePressure", "vmVfsCachePressure", Kind::kInt32},
};
constexpr Record kSysctls{"SysctlConfiguration", kSysctlFields};
constexpr Field kLinuxFields[] = {
    {"SwapFileSize", "swapFileSize", Kind::kText},
    {"Sysctls", "sysctls", Kind::kRecord, &kSysctls},
    {"TransparentHugePageDefrag", "transparentHugePageDefrag", Kind::kText},
    {"TransparentHugePageEnabled", "transparentHugePageEnabled", Kind::kText},
};
constexpr Record kLinux{"LinuxOSConfiguration", kLinuxFields};

constexpr Field kSpecFields[] = {
    {"VNETSubnetID", "vnetSubnetID", Kind::kText},
    {"OSDiskSizeGB", "osDiskSizeGB", Kind::kInt32},
    {"ImageID", "imageID", Kind::kText},
    {"ImageFamily", "imageFamily", Kind::kText},
    {"FIPSMode", "fipsMode", Kind::kText},
    {"Kubelet", "kubelet", Kind::kRecord, &kKubelet},
    {"MaxPods", "maxPods", Kind::kInt32},
    {"Security", "security", Kind::kRecord, &kSecurity},
    {"LocalDNS", "localDNS", Kind::kRecord, &kLocalDns},
    {"GPU", "gpu", Kind::kRecord, &kGpu},
    {"ArtifactStreaming", "artifactStreaming", Kind::kRecord, &kStreaming},
    {"LinuxOSConfig", "linuxOSConfig", Kind::kRecord, &kLinux},
};
constexpr Record kSpec{"AKSNodeClassSpec", kSpecFields};

template <class Integer>
uint64_t hash_integer(Integer value) {
  char bytes[sizeof value];
  for (size_t i = 0; i < sizeof value; ++i) bytes[i] = static_cast<char>(static_cast<uint64_t>(value) >> (8 * i));
  return fnv1_64({bytes, sizeof bytes});
}

uint64_t combine(uint64_t first, uint64_t second) {
  char bytes[16];
  for (int i = 0; i < 8; ++i) {
    bytes[i] = static_cast<char>(first >> (8 * i));
    bytes[8 + i] = static_cast<char>(second >> (8 * i));
  }
  return fnv1_64({bytes, sizeof bytes});
}

uint64_t finish(uint64_t hash) {
  return hash_integer(hash);
}

// A record with one integer field, which is what both duration types are.
uint64_t hash_duration(std::string_view type, int64_t nanoseconds, bool zero_counts) {
  const uint64_t name = fnv1_64(type);
  if (nanoseconds == 0 && !zero_counts) return name;
  return finish(name ^ combine(fnv1_64("Duration"), hash_integer(nanoseconds)));
}

struct WrongType {
  std::string path;
  const char* wanted;
};

uint64_t hash_record(const Record& record, const json& value, const std::string& path);

// The hash of one field's value, or nothing when the value is zero in the sense of the record's type.
std::optional<uint64_t> hash_value(const Field& field, const json& value, const std::string& path) {
  const auto require = [&](bool right, const char* wanted) {
    if (!right) throw WrongType{path, wanted};
  };
  switch (field.kind) {
    case Kind::kText:
      require(value.is_string(), "a string");
      return fnv1_64(value.get_ref<const std::string&>());
    case Kind::kInt32:
      require(value.is_number_integer(), "a whole number");
      return hash_integer(static_cast<int32_t>(value.get<int64_t>()));
    case Kind::kInt64:
      require(value.is_number_integer(), "a whole number");
      return hash_integer(value.get<int64_t>());
    case Kind::kBool:
      require(value.is_boolean(), "true or false");
      return fnv1_64(std::string_view(value.get<bool>() ? "\1" : "\0", 1));
    case Kind::kDuration:
    case Kind::kNillableDuration: {
      require(value.is_string(), "a duration such as 100ms");
      const auto nanoseconds = parse_duration(value.get_ref<const std::string&>());
      require(nanoseconds.has_value(), "a duration such as 100ms");
      if (field.kind == Kind::kNillableDuration) return hash_duration("NillableDuration", *nanoseconds, true);
      if (*nanoseconds == 0) return std::nullopt;
      return hash_duration("Duration", *nanoseconds, false);
    }
    case Kind::kTexts: {
      require(value.is_array(), "a list of strings");
      uint64_t hash = 0;  // a set: order does not count
      for (const json& item : value) {
        require(item.is_string(), "a list of strings");
        hash ^= fnv1_64(item.get_ref<const std::string&>());
      }
      return hash;
    }
    case Kind::kRecord:
      require(value.is_object(), "an object");
      return hash_record(*field.record, value, path);
    case Kind::kRecords: {
      require(value.is_array(), "a list of objects");
      uint64_t hash = 0;
      for (size_t i = 0; i < value.size(); ++i) {
        const std::string item = fmt::format("{}[{}]", path, i);
        if (!value[i].is_object()) throw WrongType{item, "an object"};
        hash ^= hash_record(*field.record, value[i], item);
      }
      return hash;
    }
  }
  return std::nullopt;
}

uint64_t hash_record(const Record& record, const json& value, const std::string& path) {
  uint64_t hash = fnv1_64(record.go_name);
  for (const Field& field : record.fields) {
    const auto it = value.find(field.json_name);
    if (it == value.end() || it->is_null()) continue;
    const auto value_hash = hash_value(field, *it, path + "." + field.json_name);
    if (value_hash) hash = finish(hash ^ combine(fnv1_64(field.go_name), *value_hash));
  }
  return hash;
}

}  // namespace

Result<std::string> node_class_hash(const json& spec) {
  if (!spec.is_object()) return Error("spec: must be an object");
  try {
    return std::to_string(hash_record(kSpec, spec, "spec"));
  } catch (const WrongType& wrong) {
    return Error(fmt::format("{}: must be {}", wrong.path, wrong.wanted));
  }
}

}  // namespace sunup::fleet

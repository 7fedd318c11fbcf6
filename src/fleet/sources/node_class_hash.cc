#include "fleet/sources/node_class_hash.h"

#include "fleet/sources/go_hash.h"

namespace sunup::fleet {
namespace {

constexpr GoField kKubeletFields[] = {
    {"CPUManagerPolicy", "cpuManagerPolicy", GoKind::kText},
    {"CPUCFSQuota", "cpuCFSQuota", GoKind::kBool},
    {"CPUCFSQuotaPeriod", "cpuCFSQuotaPeriod", GoKind::kDuration},
    {"ImageGCHighThresholdPercent", "imageGCHighThresholdPercent", GoKind::kInt32},
    {"ImageGCLowThresholdPercent", "imageGCLowThresholdPercent", GoKind::kInt32},
    {"TopologyManagerPolicy", "topologyManagerPolicy", GoKind::kText},
    {"AllowedUnsafeSysctls", "allowedUnsafeSysctls", GoKind::kTexts},
    {"ContainerLogMaxSize", "containerLogMaxSize", GoKind::kText},
    {"ContainerLogMaxFiles", "containerLogMaxFiles", GoKind::kInt32},
    {"PodPidsLimit", "podPidsLimit", GoKind::kInt64},
    {"FailSwapOn", "failSwapOn", GoKind::kBool},
};
constexpr GoRecord kKubelet{"KubeletConfiguration", kKubeletFields};

constexpr GoField kTrustedLaunchFields[] = {{"VTPM", "vtpm", GoKind::kBool},
                                            {"SecureBoot", "secureBoot", GoKind::kBool}};
constexpr GoRecord kTrustedLaunch{"TrustedLaunch", kTrustedLaunchFields};
constexpr GoField kSecurityFields[] = {
    {"EncryptionAtHost", "encryptionAtHost", GoKind::kBool},
    {"TrustedLaunch", "trustedLaunch", GoKind::kRecordPointer, &kTrustedLaunch},
};
constexpr GoRecord kSecurity{"Security", kSecurityFields};

constexpr GoField kZoneFields[] = {
    {"Zone", "zone", GoKind::kText},
    {"QueryLogging", "queryLogging", GoKind::kText},
    {"Protocol", "protocol", GoKind::kText},
    {"ForwardDestination", "forwardDestination", GoKind::kText},
    {"ForwardPolicy", "forwardPolicy", GoKind::kText},
    {"MaxConcurrent", "maxConcurrent", GoKind::kInt32},
    {"CacheDuration", "cacheDuration", GoKind::kNillableDuration},
    {"ServeStaleDuration", "serveStaleDuration", GoKind::kNillableDuration},
    {"ServeStale", "serveStale", GoKind::kText},
};
constexpr GoRecord kZone{"LocalDNSZoneOverride", kZoneFields};
constexpr GoField kLocalDnsFields[] = {
    {"Mode", "mode", GoKind::kText},
    {"VnetDNSOverrides", "vnetDNSOverrides", GoKind::kRecords, &kZone},
    {"KubeDNSOverrides", "kubeDNSOverrides", GoKind::kRecords, &kZone},
};
constexpr GoRecord kLocalDns{"LocalDNS", kLocalDnsFields};

constexpr GoField kGpuFields[] = {{"Mode", "mode", GoKind::kText}};
constexpr GoRecord kGpu{"GPU", kGpuFields};
constexpr GoField kStreamingFields[] = {{"Enabled", "enabled", GoKind::kBool}};
constexpr GoRecord kStreaming{"ArtifactStreaming", kStreamingFields};

constexpr GoField kSysctlFields[] = {
    {"FsAioMaxNr", "fsAioMaxNr", GoKind::kInt32},
    {"FsFileMax", "fsFileMax", GoKind::kInt32},
    {"FsInotifyMaxUserWatches", "fsInotifyMaxUserWatches", GoKind::kInt32},
    {"FsNrOpen", "fsNrOpen", GoKind::kInt32},
    {"KernelThreadsMax", "kernelThreadsMax", GoKind::kInt32},
    {"NetCoreNetdevMaxBacklog", "netCoreNetdevMaxBacklog", GoKind::kInt32},
    {"NetCoreOptmemMax", "netCoreOptmemMax", GoKind::kInt32},
    {"NetCoreRmemDefault", "netCoreRmemDefault", GoKind::kInt32},
    {"NetCoreRmemMax", "netCoreRmemMax", GoKind::kInt32},
    {"NetCoreSomaxconn", "netCoreSomaxconn", GoKind::kInt32},
    {"NetCoreWmemDefault", "netCoreWmemDefault", GoKind::kInt32},
    {"NetCoreWmemMax", "netCoreWmemMax", GoKind::kInt32},
    {"NetIPv4IPLocalPortRange", "netIPv4IPLocalPortRange", GoKind::kText},
    {"NetIPv4NeighDefaultGcThresh1", "netIPv4NeighDefaultGcThresh1", GoKind::kInt32},
    {"NetIPv4NeighDefaultGcThresh2", "netIPv4NeighDefaultGcThresh2", GoKind::kInt32},
    {"NetIPv4NeighDefaultGcThresh3", "netIPv4NeighDefaultGcThresh3", GoKind::kInt32},
    {"NetIPv4TCPFinTimeout", "netIPv4TCPFinTimeout", GoKind::kInt32},
    {"NetIPv4TCPKeepaliveProbes", "netIPv4TCPKeepaliveProbes", GoKind::kInt32},
    {"NetIPv4TCPKeepaliveTime", "netIPv4TCPKeepaliveTime", GoKind::kInt32},
    {"NetIPv4TCPMaxSynBacklog", "netIPv4TCPMaxSynBacklog", GoKind::kInt32},
    {"NetIPv4TCPMaxTwBuckets", "netIPv4TCPMaxTwBuckets", GoKind::kInt32},
    {"NetIPv4TCPTwReuse", "netIPv4TCPTwReuse", GoKind::kBool},
    {"NetIPv4TCPKeepaliveIntvl", "netIPv4TCPKeepaliveIntvl", GoKind::kInt32},
    {"NetNetfilterNfConntrackBuckets", "netNetfilterNfConntrackBuckets", GoKind::kInt32},
    {"NetNetfilterNfConntrackMax", "netNetfilterNfConntrackMax", GoKind::kInt32},
    {"VMMaxMapCount", "vmMaxMapCount", GoKind::kInt32},
    {"VMSwappiness", "vmSwappiness", GoKind::kInt32},
    {"VMVfsCachePressure", "vmVfsCachePressure", GoKind::kInt32},
};
constexpr GoRecord kSysctls{"SysctlConfiguration", kSysctlFields};
constexpr GoField kLinuxFields[] = {
    {"SwapFileSize", "swapFileSize", GoKind::kText},
    {"Sysctls", "sysctls", GoKind::kRecordPointer, &kSysctls},
    {"TransparentHugePageDefrag", "transparentHugePageDefrag", GoKind::kText},
    {"TransparentHugePageEnabled", "transparentHugePageEnabled", GoKind::kText},
};
constexpr GoRecord kLinux{"LinuxOSConfiguration", kLinuxFields};

// The original's record also has ImageID, which API objects cannot set.
constexpr GoField kSpecFields[] = {
    {"VNETSubnetID", "vnetSubnetID", GoKind::kText},
    {"OSDiskType", "osDiskType", GoKind::kText},
    {"OSDiskSizeGB", "osDiskSizeGB", GoKind::kInt32},
    {"ImageFamily", "imageFamily", GoKind::kText},
    {"FIPSMode", "fipsMode", GoKind::kText},
    {"Kubelet", "kubelet", GoKind::kRecordPointer, &kKubelet},
    {"MaxPods", "maxPods", GoKind::kInt32},
    {"Security", "security", GoKind::kRecordPointer, &kSecurity},
    {"LocalDNS", "localDNS", GoKind::kRecordPointer, &kLocalDns},
    {"GPU", "gpu", GoKind::kRecordPointer, &kGpu},
    {"ArtifactStreaming", "artifactStreaming", GoKind::kRecordPointer, &kStreaming},
    {"LinuxOSConfig", "linuxOSConfig", GoKind::kRecordPointer, &kLinux},
};
constexpr GoRecord kSpec{"AKSNodeClassSpec", kSpecFields};

}  // namespace

Result<std::string> node_class_hash(const nlohmann::json& spec) {
  return go_hash(kSpec, spec, "spec");
}

}  // namespace sunup::fleet

// Differences in the product's behaviour between versions of Kubernetes, containerd and cloud-init: one row per
// difference, used by the code and shown by docs/kubernetes-versions.md. Kubelet's flags, which also change between
// versions, have their own table (contract/kubelet_settings.cc) and are part of that page.
//
//   if (package_at_least(config.kubernetes_version(), versions::kNodeIp)) ...
#pragma once

#include <cstdint>
#include <string_view>

#include "base/version.h"

namespace sunup::versions {

struct Change {
  std::string_view of;  // "Kubernetes", "containerd", "cloud-init"
  uint64_t major = 0;
  uint64_t minor = 0;       // the first version with the new behaviour
  std::string_view part;    // of the product: "native", "scripts", "config check", "resolve", "timeline"
  std::string_view what;    // the behaviour from that version on
  std::string_view before;  // the behaviour before it
};

consteval Change kubernetes(uint64_t minor, std::string_view part, std::string_view what, std::string_view before) {
  return {"Kubernetes", 1, minor, part, what, before};
}
consteval Change containerd(uint64_t major, uint64_t minor, std::string_view part, std::string_view what,
                            std::string_view before) {
  return {"containerd", major, minor, part, what, before};
}
consteval Change cloud_init(uint64_t major, uint64_t minor, std::string_view part, std::string_view what,
                            std::string_view before) {
  return {"cloud-init", major, minor, part, what, before};
}

inline constexpr uint64_t kOldestMinor = 20;  // the oldest minor version of Kubernetes 1.x that config check accepts
inline constexpr uint64_t kNewestMinor = 37;  // the newest minor version that it knows

// Kubernetes
inline constexpr Change kRegistryHosts = kubernetes(
    22, "native, scripts", "containerd's config names the directory of registry hosts (certs.d)", "it does not");
inline constexpr Change kCredentialGate =
    kubernetes(23, "resolve", "below 1.30, the feature gate DisableKubeletCloudCredentialProviders=false is set",
               "kubelet does not know the gate");
inline constexpr Change kRemoteRuntimeOnly =
    kubernetes(27, "native", "no --container-runtime", "a drop-in sets --container-runtime=remote");
inline constexpr Change kNodeIp =
    kubernetes(29, "native", "kubelet gets --node-ip with the addresses of the first network card",
               "kubelet finds its address itself");
inline constexpr Change kCredentialProvider =
    kubernetes(30, "resolve", "kubelet gets the image credential provider; its download is offered",
               "kubelet gets --azure-container-registry-config");
inline constexpr Change kRegistryConfigUnneeded =
    kubernetes(30, "config check", "--azure-container-registry-config is reported as not needed", "it is accepted");
inline constexpr Change kNoCloudProviders = kubernetes(
    31, "config check", "a built-in cloud provider is an error, because kubelet does not start", "azure is accepted");
inline constexpr Change kNoTerminatedVolumes =
    kubernetes(31, "resolve", "no --keep-terminated-pod-volumes", "--keep-terminated-pod-volumes=false");
inline constexpr Change kWatchdog = kubernetes(32, "native", "systemd's watchdog supervises kubelet (WatchdogSec=60s)",
                                               "kubelet does not notify a watchdog");
inline constexpr Change kAzureLinux3 =
    kubernetes(32, "resolve", "image family AzureLinux is Azure Linux 3", "it is Azure Linux 2");
inline constexpr Change kCredentialProviderPackages = kubernetes(
    33, "native", "the credential provider comes from a package if the image lacks it", "it is downloaded from a URL");
inline constexpr Change kKubeletPackages = kubernetes(
    34, "native", "kubelet and kubectl come from packages if the image lacks them", "they are downloaded from a URL");
inline constexpr Change kNoNodeArchive =
    kubernetes(34, "resolve", "no URL of the node archive, which is not published any more", "the URL is offered");
inline constexpr Change kNoStreamingTimeout =
    kubernetes(34, "native, scripts, config check", "--streaming-connection-idle-timeout and its field are left out",
               "they are passed on");
inline constexpr Change kNoCloudConfig = kubernetes(34, "resolve", "no --cloud-config", "--cloud-config is set");
inline constexpr Change kStatelessCni =
    kubernetes(34, "resolve", "with overlay networking the label network-stateless-cni is true", "it is false");
inline constexpr Change kUbuntu2404 = kubernetes(
    34, "resolve", "image family Ubuntu is Ubuntu 24.04 (without FIPS and trusted launch)", "it is Ubuntu 22.04");
inline constexpr Change kAzureContainerLinux =
    kubernetes(34, "resolve", "image family AzureContainerLinux is accepted", "it is refused");
inline constexpr Change kNoPauseImageFlag =
    kubernetes(35, "resolve", "no --pod-infra-container-image", "--pod-infra-container-image is set");
inline constexpr Change kNoCgroupV1 =
    kubernetes(35, "native", "a machine with cgroup v1 is refused, unless --fail-cgroupv1 is false", "it is accepted");
inline constexpr Change kUnlimitedEvents =
    kubernetes(37, "config check", "eventRecordQPS 0 is noted: kubelet sends events without a limit",
               "kubelet takes 0 for its default, 50");
// containerd
inline constexpr Change kContainerd2 =
    containerd(2, 0, "native, scripts", "the config has the plugin names of containerd 2 (io.containerd.cri.v1.*)",
               "it has those of containerd 1 (io.containerd.grpc.v1.cri)");
// cloud-init
inline constexpr Change kNetworkStageUnit = cloud_init(
    24, 3, "native, timeline", "the network stage is cloud-init-network.service", "it is cloud-init.service");

inline constexpr const Change* kAll[] = {&kRegistryHosts,
                                         &kCredentialGate,
                                         &kRemoteRuntimeOnly,
                                         &kNodeIp,
                                         &kCredentialProvider,
                                         &kRegistryConfigUnneeded,
                                         &kNoCloudProviders,
                                         &kNoTerminatedVolumes,
                                         &kWatchdog,
                                         &kAzureLinux3,
                                         &kCredentialProviderPackages,
                                         &kKubeletPackages,
                                         &kNoNodeArchive,
                                         &kNoStreamingTimeout,
                                         &kNoCloudConfig,
                                         &kStatelessCni,
                                         &kUbuntu2404,
                                         &kAzureContainerLinux,
                                         &kNoPauseImageFlag,
                                         &kNoCgroupV1,
                                         &kUnlimitedEvents,
                                         &kContainerd2,
                                         &kNetworkStageUnit};

}  // namespace sunup::versions

namespace sunup {

inline bool version_at_least(std::string_view text, const versions::Change& change) {
  return version_at_least(text, change.major, change.minor, 0);
}
inline bool package_at_least(std::string_view text, const versions::Change& change) {
  return package_at_least(text, change.major, change.minor);
}

}  // namespace sunup

// The exit codes of the provisioning contract that this program itself ends with. Their names follow the contract's:
// ERR_KUBELET_START_FAIL is kKubeletStartFail. report/exit_code_table.h has all codes of the contract, with their
// meaning.
#pragma once

namespace sunup::exit_code {

inline constexpr int kFailed = 1;  // without a specific code; the contract has no name for it
inline constexpr int kSystemctlStartFail = 4;
inline constexpr int kFileWatchTimeout = 6;
inline constexpr int kAptInstallTimeout = 9;
inline constexpr int kMissingCudaPackage = 10;
inline constexpr int kK8sDownloadTimeout = 31;
inline constexpr int kKubeletStartFail = 34;
inline constexpr int kCniDownloadTimeout = 41;
inline constexpr int kModprobeFail = 49;
inline constexpr int kOutboundConnFail = 50;
inline constexpr int kK8sApiServerConnFail = 51;
inline constexpr int kK8sApiServerDnsLookupFail = 52;
inline constexpr int kVhdFileNotFound = 65;
inline constexpr int kCustomSearchDomainsFail = 80;
inline constexpr int kGpuDriversStartFail = 84;
inline constexpr int kGpuDriversInstallTimeout = 85;
inline constexpr int kGpuDevicePluginStartFail = 86;
inline constexpr int kGpuInfoRomCorrupted = 87;
inline constexpr int kAmdamaDriverNotFound = 95;
inline constexpr int kAptUpdateTimeout = 99;
inline constexpr int kSysctlReload = 103;
inline constexpr int kCtrOperationError = 119;
inline constexpr int kKubeletInstallFail = 121;
inline constexpr int kKubectlInstallFail = 122;
inline constexpr int kEnableManagedGpuExperience = 123;
inline constexpr int kTimedOut = 124;  // the time limit of a provisioning run; the contract has no name for it
inline constexpr int kDraDriverStartFail = 129;
inline constexpr int kSwapCreateFail = 130;
inline constexpr int kSwapCreateInsufficientDiskSpace = 131;
inline constexpr int kArtifactStreamingInstall = 153;
inline constexpr int kUpdateCaCerts = 161;
inline constexpr int kSecureTlsBootstrapClientDownloadError = 169;
inline constexpr int kDisableSsh = 172;
inline constexpr int kConfigPubkeyAuthSsh = 178;
inline constexpr int kSnapshotUpdateStartFail = 202;
inline constexpr int kK8sInstallErr = 204;
inline constexpr int kCredentialProviderDownloadTimeout = 205;
inline constexpr int kOrasPullK8sFail = 207;
inline constexpr int kOrasPullCredentialProvider = 208;
inline constexpr int kOrasImdsTimeout = 210;
inline constexpr int kOrasPullNetworkTimeout = 211;
inline constexpr int kOrasPullUnauthorized = 212;
inline constexpr int kLocaldnsFail = 216;
inline constexpr int kSecureTlsBootstrapEnableFailure = 220;
inline constexpr int kNvidiaDriverInstall = 224;
inline constexpr int kManagedNvidiaExpInstallFail = 227;
inline constexpr int kOrasPullSysextFail = 231;
inline constexpr int kPullPodInfraContainerImage = 233;
inline constexpr int kImdsFetchFailed = 234;
inline constexpr int kNvidiaDcgmInstall = 235;
inline constexpr int kAksNodeControllerError = 240;
inline constexpr int kSecondaryNicConfigFail = 243;

}  // namespace sunup::exit_code

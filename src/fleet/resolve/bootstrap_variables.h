// Node Bootstrapping Variables: the flat record of 127 fields that the first generation of script-free images is
// bootstrapped from, as values with their source. `bootstrap_script.h` creates the custom data from it, `node_config.h`
// the AKSNodeConfig of the second generation.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <string_view>

#include "fleet/sources/provenance.h"

namespace sunup::fleet {

// In the order of their assignments in the script; the first two have none.
enum class Var {
  kIsAKSCustomCloud,
  kInitAKSCustomCloudFilepath,
  kAKSCustomCloudRepoDepotEndpoint,
  kAdminUsername,
  kMobyVersion,
  kTenantID,
  kKubernetesVersion,
  kHyperkubeURL,
  kKubeBinaryURL,
  kCustomKubeBinaryURL,
  kCredentialProviderDownloadURL,
  kKubeproxyURL,
  kAPIServerPublicKey,
  kSubscriptionID,
  kResourceGroup,
  kLocation,
  kVMType,
  kSubnet,
  kNetworkSecurityGroup,
  kVirtualNetwork,
  kVirtualNetworkResourceGroup,
  kRouteTable,
  kPrimaryAvailabilitySet,
  kPrimaryScaleSet,
  kServicePrincipalClientID,
  kNetworkPlugin,
  kNetworkPolicy,
  kVNETCNILinuxPluginsURL,
  kCNIPluginsURL,
  kCloudProviderBackoff,
  kCloudProviderBackoffMode,
  kCloudProviderBackoffRetries,
  kCloudProviderBackoffExponent,
  kCloudProviderBackoffDuration,
  kCloudProviderBackoffJitter,
  kCloudProviderRatelimit,
  kCloudProviderRatelimitQPS,
  kCloudProviderRatelimitQPSWrite,
  kCloudProviderRatelimitBucket,
  kCloudProviderRatelimitBucketWrite,
  kLoadBalancerDisableOutboundSNAT,
  kUseManagedIdentityExtension,
  kUseInstanceMetadata,
  kLoadBalancerSKU,
  kExcludeMasterFromStandardLB,
  kMaximumLoadbalancerRuleCount,
  kContainerRuntime,
  kCLITool,
  kContainerdDownloadURLBase,
  kNetworkMode,
  kUserAssignedIdentityID,
  kAPIServerName,
  kIsVHD,
  kGPUNode,
  kSGXNode,
  kMIGNode,
  kConfigGPUDriverIfNeeded,
  kEnableGPUDevicePluginIfNeeded,
  kTeleportdPluginDownloadURL,
  kContainerdVersion,
  kContainerdPackageURL,
  kRuncVersion,
  kRuncPackageURL,
  kEnableHostsConfigAgent,
  kDisableSSH,
  kNeedsContainerd,
  kTeleportEnabled,
  kShouldConfigureHTTPProxy,
  kShouldConfigureHTTPProxyCA,
  kHTTPProxyTrustedCA,
  kShouldConfigureCustomCATrust,
  kCustomCATrustConfigCerts,
  kIsKrustlet,
  kGPUNeedsFabricManager,
  kNeedsDockerLogin,
  kIPv6DualStackEnabled,
  kOutboundCommand,
  kEnableUnattendedUpgrades,
  kEnsureNoDupePromiscuousBridge,
  kShouldConfigSwapFile,
  kShouldConfigTransparentHugePage,
  kTargetCloud,
  kTargetEnvironment,
  kCustomEnvJSON,
  kIsCustomCloud,
  kCSEHelpersFilepath,
  kCSEDistroHelpersFilepath,
  kCSEInstallFilepath,
  kCSEDistroInstallFilepath,
  kCSEConfigFilepath,
  kAzurePrivateRegistryServer,
  kHasCustomSearchDomain,
  kCustomSearchDomainFilepath,
  kHTTPProxyURLs,
  kHTTPSProxyURLs,
  kNoProxyURLs,
  kTLSBootstrappingEnabled,
  kSecureTLSBootstrappingEnabled,
  kEnableKubeletServingCertificateRotation,
  kDHCPv6ServiceFilepath,
  kDHCPv6ConfigFilepath,
  kTHPEnabled,
  kTHPDefrag,
  kServicePrincipalFileContent,
  kKubeletClientContent,
  kKubeletClientCertContent,
  kKubeletConfigFileEnabled,
  kKubeletConfigFileContent,
  kSwapFileSizeMB,
  kGPUImageSHA,
  kGPUDriverVersion,
  kGPUDriverType,
  kGPUInstanceProfile,
  kCustomSearchDomainName,
  kCustomSearchRealmUser,
  kCustomSearchRealmPassword,
  kMessageOfTheDay,
  kHasKubeletDiskType,
  kNeedsCgroupV2,
  kSysctlContent,
  kTLSBootstrapToken,
  kKubeletFlags,
  kKubeletNodeLabels,
  kAzureEnvironmentFilepath,
  kKubeCACrt,
  kContainerdConfigContent,
  kIsKata,
  kCount,
};
inline constexpr size_t kVarCount = static_cast<size_t>(Var::kCount);
static_assert(kVarCount == 127);

struct VarRow {
  Var var;
  std::string_view field;      // the name in documentation
  std::string_view env;        // the variable that a node's scripts read
  bool quoted;                 // assigned between double quotes
  std::string_view hardcoded;  // its default value
  bool secret = false;
};

const std::array<VarRow, kVarCount>& var_rows();

// Copies are cheap: only two of the variables differ between nodes of one kind, and copies share all others until one
// is changed.
class BootstrapVariables {
 public:
  BootstrapVariables();  // every field at its hardcoded value

  const Value<std::string>& at(Var var) const {
    return of_node(var) ? of_node_[index(var) - kFirstOfNode] : (*shared_)[index(var)];
  }
  Value<std::string>& at(Var var) {
    if (of_node(var)) return of_node_[index(var) - kFirstOfNode];
    if (shared_.use_count() > 1) shared_ = std::make_shared<Table>(*shared_);
    return (*shared_)[index(var)];
  }
  const std::string& text(Var var) const { return at(var).get(); }
  void offer(Var var, Source source, std::string_view where, std::string value) {
    at(var).offer(source, where, std::move(value));
  }

 private:
  using Table = std::array<Value<std::string>, kVarCount>;

  static constexpr size_t index(Var var) { return static_cast<size_t>(var); }
  static constexpr size_t kFirstOfNode = static_cast<size_t>(Var::kKubeletFlags);
  static_assert(kFirstOfNode + 1 == static_cast<size_t>(Var::kKubeletNodeLabels));
  static constexpr bool of_node(Var var) { return var == Var::kKubeletFlags || var == Var::kKubeletNodeLabels; }

  std::shared_ptr<Table> shared_;
  std::array<Value<std::string>, 2> of_node_;
};

}  // namespace sunup::fleet

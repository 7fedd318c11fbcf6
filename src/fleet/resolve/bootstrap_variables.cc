#include "fleet/resolve/bootstrap_variables.h"

#include "base/base64.h"

namespace sunup::fleet {
namespace {

constexpr std::array<VarRow, kVarCount> kRows{{
    {Var::kIsAKSCustomCloud, "IsAKSCustomCloud", "", false, "false"},
    {Var::kInitAKSCustomCloudFilepath, "InitAKSCustomCloudFilepath", "", false, ""},
    {Var::kAKSCustomCloudRepoDepotEndpoint, "AKSCustomCloudRepoDepotEndpoint", "REPO_DEPOT_ENDPOINT", true, ""},
    {Var::kAdminUsername, "AdminUsername", "ADMINUSER", false, "azureuser"},
    {Var::kMobyVersion, "MobyVersion", "MOBY_VERSION", false, ""},
    {Var::kTenantID, "TenantID", "TENANT_ID", false, ""},
    {Var::kKubernetesVersion, "KubernetesVersion", "KUBERNETES_VERSION", false, ""},
    {Var::kHyperkubeURL, "HyperkubeURL", "HYPERKUBE_URL", false, ""},
    {Var::kKubeBinaryURL, "KubeBinaryURL", "KUBE_BINARY_URL", false, ""},
    {Var::kCustomKubeBinaryURL, "CustomKubeBinaryURL", "CUSTOM_KUBE_BINARY_URL", false, ""},
    {Var::kCredentialProviderDownloadURL, "CredentialProviderDownloadURL", "CREDENTIAL_PROVIDER_DOWNLOAD_URL", false,
     ""},
    {Var::kKubeproxyURL, "KubeproxyURL", "KUBEPROXY_URL", false, ""},
    {Var::kAPIServerPublicKey, "APIServerPublicKey", "APISERVER_PUBLIC_KEY", false, ""},
    {Var::kSubscriptionID, "SubscriptionID", "SUBSCRIPTION_ID", false, ""},
    {Var::kResourceGroup, "ResourceGroup", "RESOURCE_GROUP", false, ""},
    {Var::kLocation, "Location", "LOCATION", false, ""},
    {Var::kVMType, "VMType", "VM_TYPE", false, "standard"},
    {Var::kSubnet, "Subnet", "SUBNET", false, "aks-subnet"},
    {Var::kNetworkSecurityGroup, "NetworkSecurityGroup", "NETWORK_SECURITY_GROUP", false, ""},
    {Var::kVirtualNetwork, "VirtualNetwork", "VIRTUAL_NETWORK", false, ""},
    {Var::kVirtualNetworkResourceGroup, "VirtualNetworkResourceGroup", "VIRTUAL_NETWORK_RESOURCE_GROUP", false, ""},
    {Var::kRouteTable, "RouteTable", "ROUTE_TABLE", false, ""},
    {Var::kPrimaryAvailabilitySet, "PrimaryAvailabilitySet", "PRIMARY_AVAILABILITY_SET", false, ""},
    {Var::kPrimaryScaleSet, "PrimaryScaleSet", "PRIMARY_SCALE_SET", false, ""},
    {Var::kServicePrincipalClientID, "ServicePrincipalClientID", "SERVICE_PRINCIPAL_CLIENT_ID", false, "msi"},
    {Var::kNetworkPlugin, "NetworkPlugin", "NETWORK_PLUGIN", false, ""},
    {Var::kNetworkPolicy, "NetworkPolicy", "NETWORK_POLICY", true, ""},
    {Var::kVNETCNILinuxPluginsURL, "VNETCNILinuxPluginsURL", "VNET_CNI_PLUGINS_URL", false,
     "https://acs-mirror.azureedge.net/azure-cni/v1.4.32/binaries/azure-vnet-cni-linux-amd64-v1.4.32.tgz"},
    {Var::kCNIPluginsURL, "CNIPluginsURL", "CNI_PLUGINS_URL", false,
     "https://acs-mirror.azureedge.net/cni-plugins/v1.1.1/binaries/cni-plugins-linux-amd64-v1.1.1.tgz"},
    {Var::kCloudProviderBackoff, "CloudProviderBackoff", "CLOUDPROVIDER_BACKOFF", false, "true"},
    {Var::kCloudProviderBackoffMode, "CloudProviderBackoffMode", "CLOUDPROVIDER_BACKOFF_MODE", false, "v2"},
    {Var::kCloudProviderBackoffRetries, "CloudProviderBackoffRetries", "CLOUDPROVIDER_BACKOFF_RETRIES", false, "6"},
    {Var::kCloudProviderBackoffExponent, "CloudProviderBackoffExponent", "CLOUDPROVIDER_BACKOFF_EXPONENT", false, "0"},
    {Var::kCloudProviderBackoffDuration, "CloudProviderBackoffDuration", "CLOUDPROVIDER_BACKOFF_DURATION", false, "5"},
    {Var::kCloudProviderBackoffJitter, "CloudProviderBackoffJitter", "CLOUDPROVIDER_BACKOFF_JITTER", false, "0"},
    {Var::kCloudProviderRatelimit, "CloudProviderRatelimit", "CLOUDPROVIDER_RATELIMIT", false, "true"},
    {Var::kCloudProviderRatelimitQPS, "CloudProviderRatelimitQPS", "CLOUDPROVIDER_RATELIMIT_QPS", false, "10"},
    {Var::kCloudProviderRatelimitQPSWrite, "CloudProviderRatelimitQPSWrite", "CLOUDPROVIDER_RATELIMIT_QPS_WRITE", false,
     "10"},
    {Var::kCloudProviderRatelimitBucket, "CloudProviderRatelimitBucket", "CLOUDPROVIDER_RATELIMIT_BUCKET", false,
     "100"},
    {Var::kCloudProviderRatelimitBucketWrite, "CloudProviderRatelimitBucketWrite",
     "CLOUDPROVIDER_RATELIMIT_BUCKET_WRITE", false, "100"},
    {Var::kLoadBalancerDisableOutboundSNAT, "LoadBalancerDisableOutboundSNAT", "LOAD_BALANCER_DISABLE_OUTBOUND_SNAT",
     false, "false"},
    {Var::kUseManagedIdentityExtension, "UseManagedIdentityExtension", "USE_MANAGED_IDENTITY_EXTENSION", false, "true"},
    {Var::kUseInstanceMetadata, "UseInstanceMetadata", "USE_INSTANCE_METADATA", false, "true"},
    {Var::kLoadBalancerSKU, "LoadBalancerSKU", "LOAD_BALANCER_SKU", false, "Standard"},
    {Var::kExcludeMasterFromStandardLB, "ExcludeMasterFromStandardLB", "EXCLUDE_MASTER_FROM_STANDARD_LB", false,
     "true"},
    {Var::kMaximumLoadbalancerRuleCount, "MaximumLoadbalancerRuleCount", "MAXIMUM_LOADBALANCER_RULE_COUNT", false,
     "250"},
    {Var::kContainerRuntime, "ContainerRuntime", "CONTAINER_RUNTIME", false, "containerd"},
    {Var::kCLITool, "CLITool", "CLI_TOOL", false, "ctr"},
    {Var::kContainerdDownloadURLBase, "ContainerdDownloadURLBase", "CONTAINERD_DOWNLOAD_URL_BASE", false, ""},
    {Var::kNetworkMode, "NetworkMode", "NETWORK_MODE", false, ""},
    {Var::kUserAssignedIdentityID, "UserAssignedIdentityID", "USER_ASSIGNED_IDENTITY_ID", false, ""},
    {Var::kAPIServerName, "APIServerName", "API_SERVER_NAME", false, ""},
    {Var::kIsVHD, "IsVHD", "IS_VHD", false, "true"},
    {Var::kGPUNode, "GPUNode", "GPU_NODE", false, "false"},
    {Var::kSGXNode, "SGXNode", "SGX_NODE", false, "false"},
    {Var::kMIGNode, "MIGNode", "MIG_NODE", false, "false"},
    {Var::kConfigGPUDriverIfNeeded, "ConfigGPUDriverIfNeeded", "CONFIG_GPU_DRIVER_IF_NEEDED", false, "false"},
    {Var::kEnableGPUDevicePluginIfNeeded, "EnableGPUDevicePluginIfNeeded", "ENABLE_GPU_DEVICE_PLUGIN_IF_NEEDED", false,
     "false"},
    {Var::kTeleportdPluginDownloadURL, "TeleportdPluginDownloadURL", "TELEPORTD_PLUGIN_DOWNLOAD_URL", false, ""},
    {Var::kContainerdVersion, "ContainerdVersion", "CONTAINERD_VERSION", false, ""},
    {Var::kContainerdPackageURL, "ContainerdPackageURL", "CONTAINERD_PACKAGE_URL", false, ""},
    {Var::kRuncVersion, "RuncVersion", "RUNC_VERSION", false, ""},
    {Var::kRuncPackageURL, "RuncPackageURL", "RUNC_PACKAGE_URL", false, ""},
    {Var::kEnableHostsConfigAgent, "EnableHostsConfigAgent", "ENABLE_HOSTS_CONFIG_AGENT", true, "false"},
    {Var::kDisableSSH, "DisableSSH", "DISABLE_SSH", true, "false"},
    {Var::kNeedsContainerd, "NeedsContainerd", "NEEDS_CONTAINERD", true, "true"},
    {Var::kTeleportEnabled, "TeleportEnabled", "TELEPORT_ENABLED", true, "false"},
    {Var::kShouldConfigureHTTPProxy, "ShouldConfigureHTTPProxy", "SHOULD_CONFIGURE_HTTP_PROXY", true, "false"},
    {Var::kShouldConfigureHTTPProxyCA, "ShouldConfigureHTTPProxyCA", "SHOULD_CONFIGURE_HTTP_PROXY_CA", true, "false"},
    {Var::kHTTPProxyTrustedCA, "HTTPProxyTrustedCA", "HTTP_PROXY_TRUSTED_CA", true, "", true},
    {Var::kShouldConfigureCustomCATrust, "ShouldConfigureCustomCATrust", "SHOULD_CONFIGURE_CUSTOM_CA_TRUST", true,
     "false"},
    {Var::kCustomCATrustConfigCerts, "CustomCATrustConfigCerts", "CUSTOM_CA_TRUST_COUNT", true, "", true},
    {Var::kIsKrustlet, "IsKrustlet", "IS_KRUSTLET", true, "false"},
    {Var::kGPUNeedsFabricManager, "GPUNeedsFabricManager", "GPU_NEEDS_FABRIC_MANAGER", true, "false"},
    {Var::kNeedsDockerLogin, "NeedsDockerLogin", "NEEDS_DOCKER_LOGIN", true, "false"},
    {Var::kIPv6DualStackEnabled, "IPv6DualStackEnabled", "IPV6_DUAL_STACK_ENABLED", true, "false"},
    {Var::kOutboundCommand, "OutboundCommand", "OUTBOUND_COMMAND", true,
     "curl -v --insecure --proxy-insecure https://mcr.microsoft.com/v2/"},
    {Var::kEnableUnattendedUpgrades, "EnableUnattendedUpgrades", "ENABLE_UNATTENDED_UPGRADES", true, "false"},
    {Var::kEnsureNoDupePromiscuousBridge, "EnsureNoDupePromiscuousBridge", "ENSURE_NO_DUPE_PROMISCUOUS_BRIDGE", true,
     "false"},
    {Var::kShouldConfigSwapFile, "ShouldConfigSwapFile", "SHOULD_CONFIG_SWAP_FILE", true, "false"},
    {Var::kShouldConfigTransparentHugePage, "ShouldConfigTransparentHugePage", "SHOULD_CONFIG_TRANSPARENT_HUGE_PAGE",
     true, "false"},
    {Var::kTargetCloud, "TargetCloud", "TARGET_CLOUD", true, "AzurePublicCloud"},
    {Var::kTargetEnvironment, "TargetEnvironment", "TARGET_ENVIRONMENT", true, "AzurePublicCloud"},
    {Var::kCustomEnvJSON, "CustomEnvJSON", "CUSTOM_ENV_JSON", true, ""},
    {Var::kIsCustomCloud, "IsCustomCloud", "IS_CUSTOM_CLOUD", true, "false"},
    {Var::kCSEHelpersFilepath, "CSEHelpersFilepath", "CSE_HELPERS_FILEPATH", true,
     "/opt/azure/containers/provision_source.sh"},
    {Var::kCSEDistroHelpersFilepath, "CSEDistroHelpersFilepath", "CSE_DISTRO_HELPERS_FILEPATH", true,
     "/opt/azure/containers/provision_source_distro.sh"},
    {Var::kCSEInstallFilepath, "CSEInstallFilepath", "CSE_INSTALL_FILEPATH", true,
     "/opt/azure/containers/provision_installs.sh"},
    {Var::kCSEDistroInstallFilepath, "CSEDistroInstallFilepath", "CSE_DISTRO_INSTALL_FILEPATH", true,
     "/opt/azure/containers/provision_installs_distro.sh"},
    {Var::kCSEConfigFilepath, "CSEConfigFilepath", "CSE_CONFIG_FILEPATH", true,
     "/opt/azure/containers/provision_configs.sh"},
    {Var::kAzurePrivateRegistryServer, "AzurePrivateRegistryServer", "AZURE_PRIVATE_REGISTRY_SERVER", true, ""},
    {Var::kHasCustomSearchDomain, "HasCustomSearchDomain", "HAS_CUSTOM_SEARCH_DOMAIN", true, "false"},
    {Var::kCustomSearchDomainFilepath, "CustomSearchDomainFilepath", "CUSTOM_SEARCH_DOMAIN_FILEPATH", true,
     "/opt/azure/containers/setup-custom-search-domains.sh"},
    {Var::kHTTPProxyURLs, "HTTPProxyURLs", "HTTP_PROXY_URLS", true, "", true},
    {Var::kHTTPSProxyURLs, "HTTPSProxyURLs", "HTTPS_PROXY_URLS", true, "", true},
    {Var::kNoProxyURLs, "NoProxyURLs", "NO_PROXY_URLS", true, ""},
    {Var::kTLSBootstrappingEnabled, "TLSBootstrappingEnabled", "ENABLE_TLS_BOOTSTRAPPING", true, "true"},
    {Var::kSecureTLSBootstrappingEnabled, "SecureTLSBootstrappingEnabled", "ENABLE_SECURE_TLS_BOOTSTRAPPING", true,
     "false"},
    {Var::kEnableKubeletServingCertificateRotation, "EnableKubeletServingCertificateRotation",
     "ENABLE_KUBELET_SERVING_CERTIFICATE_ROTATION", true, "false"},
    {Var::kDHCPv6ServiceFilepath, "DHCPv6ServiceFilepath", "DHCPV6_SERVICE_FILEPATH", true, ""},
    {Var::kDHCPv6ConfigFilepath, "DHCPv6ConfigFilepath", "DHCPV6_CONFIG_FILEPATH", true, ""},
    {Var::kTHPEnabled, "THPEnabled", "THP_ENABLED", true, ""},
    {Var::kTHPDefrag, "THPDefrag", "THP_DEFRAG", true, ""},
    {Var::kServicePrincipalFileContent, "ServicePrincipalFileContent", "SERVICE_PRINCIPAL_FILE_CONTENT", true, "bXNp"},
    {Var::kKubeletClientContent, "KubeletClientContent", "KUBELET_CLIENT_CONTENT", true, "", true},
    {Var::kKubeletClientCertContent, "KubeletClientCertContent", "KUBELET_CLIENT_CERT_CONTENT", true, ""},
    {Var::kKubeletConfigFileEnabled, "KubeletConfigFileEnabled", "KUBELET_CONFIG_FILE_ENABLED", true, "false"},
    {Var::kKubeletConfigFileContent, "KubeletConfigFileContent", "KUBELET_CONFIG_FILE_CONTENT", true, ""},
    {Var::kSwapFileSizeMB, "SwapFileSizeMB", "SWAP_FILE_SIZE_MB", true, "0"},
    {Var::kGPUImageSHA, "GPUImageSHA", "GPU_IMAGE_SHA", true, ""},
    {Var::kGPUDriverVersion, "GPUDriverVersion", "GPU_DRIVER_VERSION", true, ""},
    {Var::kGPUDriverType, "GPUDriverType", "GPU_DRIVER_TYPE", true, ""},
    {Var::kGPUInstanceProfile, "GPUInstanceProfile", "GPU_INSTANCE_PROFILE", true, ""},
    {Var::kCustomSearchDomainName, "CustomSearchDomainName", "CUSTOM_SEARCH_DOMAIN_NAME", true, ""},
    {Var::kCustomSearchRealmUser, "CustomSearchRealmUser", "CUSTOM_SEARCH_REALM_USER", true, ""},
    {Var::kCustomSearchRealmPassword, "CustomSearchRealmPassword", "CUSTOM_SEARCH_REALM_PASSWORD", true, "", true},
    {Var::kMessageOfTheDay, "MessageOfTheDay", "MESSAGE_OF_THE_DAY", true, ""},
    {Var::kHasKubeletDiskType, "HasKubeletDiskType", "HAS_KUBELET_DISK_TYPE", true, "false"},
    {Var::kNeedsCgroupV2, "NeedsCgroupV2", "NEEDS_CGROUPV2", true, "true"},
    {Var::kSysctlContent, "SysctlContent", "SYSCTL_CONTENT", true, ""},
    {Var::kTLSBootstrapToken, "TLSBootstrapToken", "TLS_BOOTSTRAP_TOKEN", true, "", true},
    {Var::kKubeletFlags, "KubeletFlags", "KUBELET_FLAGS", true, ""},
    {Var::kKubeletNodeLabels, "KubeletNodeLabels", "KUBELET_NODE_LABELS", true, ""},
    {Var::kAzureEnvironmentFilepath, "AzureEnvironmentFilepath", "AZURE_ENVIRONMENT_FILEPATH", true, ""},
    {Var::kKubeCACrt, "KubeCACrt", "KUBE_CA_CRT", true, ""},
    {Var::kContainerdConfigContent, "ContainerdConfigContent", "CONTAINERD_CONFIG_CONTENT", true, ""},
    {Var::kIsKata, "IsKata", "IS_KATA", true, "false"},
}};

constexpr bool rows_match_the_enum() {
  for (size_t i = 0; i < kVarCount; ++i)
    if (static_cast<size_t>(kRows[i].var) != i) return false;
  return true;
}
static_assert(rows_match_the_enum());

// Network limits that nodes with many pods need. Script-free images apply this text as it is.
constexpr std::string_view kSysctls =
    "net.ipv4.tcp_retries2=8\n"
    "net.core.message_burst=80\n"
    "net.core.message_cost=40\n"
    "net.core.somaxconn=16384\n"
    "net.ipv4.tcp_max_syn_backlog=16384\n"
    "net.ipv4.neigh.default.gc_thresh1=4096\n"
    "net.ipv4.neigh.default.gc_thresh2=8192\n"
    "net.ipv4.neigh.default.gc_thresh3=16384\n";

}  // namespace

const std::array<VarRow, kVarCount>& var_rows() {
  return kRows;
}

BootstrapVariables::BootstrapVariables() {
  static const std::shared_ptr<Table> kHardcoded = [] {
    auto table = std::make_shared<Table>();
    for (const VarRow& row : kRows)
      (*table)[index(row.var)] =
          Value<std::string>(Source::kHardcoded, "",
                             row.var == Var::kSysctlContent ? base64_encode(kSysctls) : std::string(row.hardcoded));
    return table;
  }();
  shared_ = kHardcoded;
  for (Value<std::string>& value : of_node_) value = Value<std::string>(Source::kHardcoded, "", "");
}

}  // namespace sunup::fleet

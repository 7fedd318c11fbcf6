// Node Bootstrapping Variables: the flat record of 127 fields that the first generation of script-free images is
// bootstrapped from, each with its source. A variable is named by its field, and the compiler checks the name:
//
//   variables.text("KubeletFlags")
#pragma once

#include <array>
#include <memory>
#include <string>
#include <string_view>

#include "fleet/resolve/resolution.h"

namespace sunup::fleet {

struct VarRow {
  std::string_view field;      // the name in documentation
  std::string_view env;        // the variable that a node's scripts read
  bool quoted;                 // assigned between double quotes
  std::string_view hardcoded;  // its default; empty if bootstrap_variables.cc sets it
};

// In the order of their assignments in the script; the first two have none.
inline constexpr VarRow kVarRows[] = {
    {"IsAKSCustomCloud", "", false, "false"},
    {"InitAKSCustomCloudFilepath", "", false, ""},
    {"AKSCustomCloudRepoDepotEndpoint", "REPO_DEPOT_ENDPOINT", true, ""},
    {"AdminUsername", "ADMINUSER", false, ""},
    {"MobyVersion", "MOBY_VERSION", false, ""},
    {"TenantID", "TENANT_ID", false, ""},
    {"KubernetesVersion", "KUBERNETES_VERSION", false, ""},
    {"HyperkubeURL", "HYPERKUBE_URL", false, ""},
    {"KubeBinaryURL", "KUBE_BINARY_URL", false, ""},
    {"CustomKubeBinaryURL", "CUSTOM_KUBE_BINARY_URL", false, ""},
    {"CredentialProviderDownloadURL", "CREDENTIAL_PROVIDER_DOWNLOAD_URL", false, ""},
    {"KubeproxyURL", "KUBEPROXY_URL", false, ""},
    {"APIServerPublicKey", "APISERVER_PUBLIC_KEY", false, ""},
    {"SubscriptionID", "SUBSCRIPTION_ID", false, ""},
    {"ResourceGroup", "RESOURCE_GROUP", false, ""},
    {"Location", "LOCATION", false, ""},
    {"VMType", "VM_TYPE", false, "standard"},
    {"Subnet", "SUBNET", false, "aks-subnet"},
    {"NetworkSecurityGroup", "NETWORK_SECURITY_GROUP", false, ""},
    {"VirtualNetwork", "VIRTUAL_NETWORK", false, ""},
    {"VirtualNetworkResourceGroup", "VIRTUAL_NETWORK_RESOURCE_GROUP", false, ""},
    {"RouteTable", "ROUTE_TABLE", false, ""},
    {"PrimaryAvailabilitySet", "PRIMARY_AVAILABILITY_SET", false, ""},
    {"PrimaryScaleSet", "PRIMARY_SCALE_SET", false, ""},
    {"ServicePrincipalClientID", "SERVICE_PRINCIPAL_CLIENT_ID", false, ""},
    {"NetworkPlugin", "NETWORK_PLUGIN", false, ""},
    {"NetworkPolicy", "NETWORK_POLICY", true, ""},
    {"VNETCNILinuxPluginsURL", "VNET_CNI_PLUGINS_URL", false,
     "https://acs-mirror.azureedge.net/azure-cni/v1.4.32/binaries/azure-vnet-cni-linux-amd64-v1.4.32.tgz"},
    {"CNIPluginsURL", "CNI_PLUGINS_URL", false,
     "https://acs-mirror.azureedge.net/cni-plugins/v1.1.1/binaries/cni-plugins-linux-amd64-v1.1.1.tgz"},
    {"CloudProviderBackoff", "CLOUDPROVIDER_BACKOFF", false, ""},
    {"CloudProviderBackoffMode", "CLOUDPROVIDER_BACKOFF_MODE", false, ""},
    {"CloudProviderBackoffRetries", "CLOUDPROVIDER_BACKOFF_RETRIES", false, ""},
    {"CloudProviderBackoffExponent", "CLOUDPROVIDER_BACKOFF_EXPONENT", false, ""},
    {"CloudProviderBackoffDuration", "CLOUDPROVIDER_BACKOFF_DURATION", false, ""},
    {"CloudProviderBackoffJitter", "CLOUDPROVIDER_BACKOFF_JITTER", false, ""},
    {"CloudProviderRatelimit", "CLOUDPROVIDER_RATELIMIT", false, ""},
    {"CloudProviderRatelimitQPS", "CLOUDPROVIDER_RATELIMIT_QPS", false, ""},
    {"CloudProviderRatelimitQPSWrite", "CLOUDPROVIDER_RATELIMIT_QPS_WRITE", false, ""},
    {"CloudProviderRatelimitBucket", "CLOUDPROVIDER_RATELIMIT_BUCKET", false, ""},
    {"CloudProviderRatelimitBucketWrite", "CLOUDPROVIDER_RATELIMIT_BUCKET_WRITE", false, ""},
    {"LoadBalancerDisableOutboundSNAT", "LOAD_BALANCER_DISABLE_OUTBOUND_SNAT", false, ""},
    {"UseManagedIdentityExtension", "USE_MANAGED_IDENTITY_EXTENSION", false, ""},
    {"UseInstanceMetadata", "USE_INSTANCE_METADATA", false, ""},
    {"LoadBalancerSKU", "LOAD_BALANCER_SKU", false, "Standard"},
    {"ExcludeMasterFromStandardLB", "EXCLUDE_MASTER_FROM_STANDARD_LB", false, ""},
    {"MaximumLoadbalancerRuleCount", "MAXIMUM_LOADBALANCER_RULE_COUNT", false, ""},
    {"ContainerRuntime", "CONTAINER_RUNTIME", false, "containerd"},
    {"CLITool", "CLI_TOOL", false, "ctr"},
    {"ContainerdDownloadURLBase", "CONTAINERD_DOWNLOAD_URL_BASE", false, ""},
    {"NetworkMode", "NETWORK_MODE", false, ""},
    {"UserAssignedIdentityID", "USER_ASSIGNED_IDENTITY_ID", false, ""},
    {"APIServerName", "API_SERVER_NAME", false, ""},
    {"IsVHD", "IS_VHD", false, ""},
    {"GPUNode", "GPU_NODE", false, "false"},
    {"SGXNode", "SGX_NODE", false, "false"},
    {"MIGNode", "MIG_NODE", false, "false"},
    {"ConfigGPUDriverIfNeeded", "CONFIG_GPU_DRIVER_IF_NEEDED", false, "false"},
    {"EnableGPUDevicePluginIfNeeded", "ENABLE_GPU_DEVICE_PLUGIN_IF_NEEDED", false, "false"},
    {"TeleportdPluginDownloadURL", "TELEPORTD_PLUGIN_DOWNLOAD_URL", false, ""},
    {"ContainerdVersion", "CONTAINERD_VERSION", false, ""},
    {"ContainerdPackageURL", "CONTAINERD_PACKAGE_URL", false, ""},
    {"RuncVersion", "RUNC_VERSION", false, ""},
    {"RuncPackageURL", "RUNC_PACKAGE_URL", false, ""},
    {"EnableHostsConfigAgent", "ENABLE_HOSTS_CONFIG_AGENT", true, "false"},
    {"DisableSSH", "DISABLE_SSH", true, ""},
    {"NeedsContainerd", "NEEDS_CONTAINERD", true, "true"},
    {"TeleportEnabled", "TELEPORT_ENABLED", true, "false"},
    {"ShouldConfigureHTTPProxy", "SHOULD_CONFIGURE_HTTP_PROXY", true, "false"},
    {"ShouldConfigureHTTPProxyCA", "SHOULD_CONFIGURE_HTTP_PROXY_CA", true, "false"},
    {"HTTPProxyTrustedCA", "HTTP_PROXY_TRUSTED_CA", true, ""},
    {"ShouldConfigureCustomCATrust", "SHOULD_CONFIGURE_CUSTOM_CA_TRUST", true, "false"},
    {"CustomCATrustConfigCerts", "CUSTOM_CA_TRUST_COUNT", true, ""},
    {"IsKrustlet", "IS_KRUSTLET", true, "false"},
    {"GPUNeedsFabricManager", "GPU_NEEDS_FABRIC_MANAGER", true, "false"},
    {"NeedsDockerLogin", "NEEDS_DOCKER_LOGIN", true, "false"},
    {"IPv6DualStackEnabled", "IPV6_DUAL_STACK_ENABLED", true, "false"},
    {"OutboundCommand", "OUTBOUND_COMMAND", true, ""},
    {"EnableUnattendedUpgrades", "ENABLE_UNATTENDED_UPGRADES", true, "false"},
    {"EnsureNoDupePromiscuousBridge", "ENSURE_NO_DUPE_PROMISCUOUS_BRIDGE", true, "false"},
    {"ShouldConfigSwapFile", "SHOULD_CONFIG_SWAP_FILE", true, "false"},
    {"ShouldConfigTransparentHugePage", "SHOULD_CONFIG_TRANSPARENT_HUGE_PAGE", true, "false"},
    {"TargetCloud", "TARGET_CLOUD", true, ""},
    {"TargetEnvironment", "TARGET_ENVIRONMENT", true, ""},
    {"CustomEnvJSON", "CUSTOM_ENV_JSON", true, ""},
    {"IsCustomCloud", "IS_CUSTOM_CLOUD", true, "false"},
    {"CSEHelpersFilepath", "CSE_HELPERS_FILEPATH", true, "/opt/azure/containers/provision_source.sh"},
    {"CSEDistroHelpersFilepath", "CSE_DISTRO_HELPERS_FILEPATH", true,
     "/opt/azure/containers/provision_source_distro.sh"},
    {"CSEInstallFilepath", "CSE_INSTALL_FILEPATH", true, "/opt/azure/containers/provision_installs.sh"},
    {"CSEDistroInstallFilepath", "CSE_DISTRO_INSTALL_FILEPATH", true,
     "/opt/azure/containers/provision_installs_distro.sh"},
    {"CSEConfigFilepath", "CSE_CONFIG_FILEPATH", true, "/opt/azure/containers/provision_configs.sh"},
    {"AzurePrivateRegistryServer", "AZURE_PRIVATE_REGISTRY_SERVER", true, ""},
    {"HasCustomSearchDomain", "HAS_CUSTOM_SEARCH_DOMAIN", true, "false"},
    {"CustomSearchDomainFilepath", "CUSTOM_SEARCH_DOMAIN_FILEPATH", true,
     "/opt/azure/containers/setup-custom-search-domains.sh"},
    {"HTTPProxyURLs", "HTTP_PROXY_URLS", true, ""},
    {"HTTPSProxyURLs", "HTTPS_PROXY_URLS", true, ""},
    {"NoProxyURLs", "NO_PROXY_URLS", true, ""},
    {"TLSBootstrappingEnabled", "ENABLE_TLS_BOOTSTRAPPING", true, "true"},
    {"SecureTLSBootstrappingEnabled", "ENABLE_SECURE_TLS_BOOTSTRAPPING", true, "false"},
    {"EnableKubeletServingCertificateRotation", "ENABLE_KUBELET_SERVING_CERTIFICATE_ROTATION", true, "false"},
    {"DHCPv6ServiceFilepath", "DHCPV6_SERVICE_FILEPATH", true, ""},
    {"DHCPv6ConfigFilepath", "DHCPV6_CONFIG_FILEPATH", true, ""},
    {"THPEnabled", "THP_ENABLED", true, ""},
    {"THPDefrag", "THP_DEFRAG", true, ""},
    {"ServicePrincipalFileContent", "SERVICE_PRINCIPAL_FILE_CONTENT", true, ""},
    {"KubeletClientContent", "KUBELET_CLIENT_CONTENT", true, ""},
    {"KubeletClientCertContent", "KUBELET_CLIENT_CERT_CONTENT", true, ""},
    {"KubeletConfigFileEnabled", "KUBELET_CONFIG_FILE_ENABLED", true, "false"},
    {"KubeletConfigFileContent", "KUBELET_CONFIG_FILE_CONTENT", true, ""},
    {"SwapFileSizeMB", "SWAP_FILE_SIZE_MB", true, "0"},
    {"GPUImageSHA", "GPU_IMAGE_SHA", true, ""},
    {"GPUDriverVersion", "GPU_DRIVER_VERSION", true, ""},
    {"GPUDriverType", "GPU_DRIVER_TYPE", true, ""},
    {"GPUInstanceProfile", "GPU_INSTANCE_PROFILE", true, ""},
    {"CustomSearchDomainName", "CUSTOM_SEARCH_DOMAIN_NAME", true, ""},
    {"CustomSearchRealmUser", "CUSTOM_SEARCH_REALM_USER", true, ""},
    {"CustomSearchRealmPassword", "CUSTOM_SEARCH_REALM_PASSWORD", true, ""},
    {"MessageOfTheDay", "MESSAGE_OF_THE_DAY", true, ""},
    {"HasKubeletDiskType", "HAS_KUBELET_DISK_TYPE", true, "false"},
    {"NeedsCgroupV2", "NEEDS_CGROUPV2", true, ""},
    {"SysctlContent", "SYSCTL_CONTENT", true, ""},
    {"TLSBootstrapToken", "TLS_BOOTSTRAP_TOKEN", true, ""},
    {"KubeletFlags", "KUBELET_FLAGS", true, ""},
    {"KubeletNodeLabels", "KUBELET_NODE_LABELS", true, ""},
    {"AzureEnvironmentFilepath", "AZURE_ENVIRONMENT_FILEPATH", true, ""},
    {"KubeCACrt", "KUBE_CA_CRT", true, ""},
    {"ContainerdConfigContent", "CONTAINERD_CONFIG_CONTENT", true, ""},
    {"IsKata", "IS_KATA", true, "false"},
};
inline constexpr size_t kVarCount = std::size(kVarRows);
static_assert(kVarCount == 127);

// A row of the table.
struct Var {
  // NOLINTNEXTLINE(google-explicit-constructor): a literal is meant to be a variable.
  consteval Var(const char* field) {
    while (kVarRows[index].field != field) ++index;  // not a constant expression if there is no such field
  }
  size_t index = 0;
};

using VarTable = std::array<Value<std::string>, kVarCount>;

// Copies are cheap: only two of the variables differ between nodes of one kind, and copies share all others.
class BootstrapVariables {
 public:
  // Those of a kind, without kubelet's flags and labels; and those of a node, from the variables of its kind.
  explicit BootstrapVariables(const NodeKind& kind);
  BootstrapVariables(const BootstrapVariables& of_kind, const Resolution& node);
  explicit BootstrapVariables(const Resolution& node) : BootstrapVariables(BootstrapVariables(*node.kind), node) {}

  const Value<std::string>& at(Var var) const { return at(var.index); }
  const Value<std::string>& at(size_t index) const {
    return index == kFlags ? flags_ : index == kLabels ? labels_ : (*shared_)[index];
  }
  const std::string& text(Var var) const { return at(var).get(); }

 private:
  static constexpr size_t kFlags = Var("KubeletFlags").index;
  static constexpr size_t kLabels = Var("KubeletNodeLabels").index;

  std::shared_ptr<const VarTable> shared_;
  Value<std::string> flags_;
  Value<std::string> labels_;
};

// Separates the items of a list variable within its text; it cannot occur in an item.
inline constexpr char kItemSeparator = '\x1e';

}  // namespace sunup::fleet

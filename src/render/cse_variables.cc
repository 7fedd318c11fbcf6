#include "render/cse_variables.h"

#include <algorithm>
#include <iterator>

#include "base/base64.h"
#include "base/node_paths.h"
#include "base/text.h"
#include "contract/fields.h"
#include "render/kubelet_config_file.h"
#include "render/kubenet.h"
#include "render/local_dns.h"
#include "render/number_text.h"
#include "render/sysctl.h"

namespace sunup::render {
namespace {

using In = const CseSubject&;
using Kind = CseRule::Kind;

constexpr CseRule field() {
  return {Kind::kField};
}
constexpr CseRule field_or(std::string_view otherwise) {
  return {Kind::kFieldOr, otherwise};
}
constexpr CseRule one_line() {
  return {Kind::kOneLine};
}
constexpr CseRule word(std::string_view prefix) {
  return {Kind::kWord, prefix};
}
constexpr CseRule any_set() {
  return {Kind::kAnySet};
}
constexpr CseRule all_set() {
  return {Kind::kAllSet};
}
constexpr CseRule constant(std::string_view text) {
  return {Kind::kConstant, text};
}
constexpr CseRule derived(std::string (*derive)(In)) {
  return {Kind::kDerived, {}, derive};
}

std::string flag(bool on) {
  return on ? "true" : "false";
}

std::string in_custom_cloud(In in, std::string_view value) {
  return std::string(in.cloud == AzureCloud::kCustom ? value : "");
}

// containerd's limits in one line; scripts turn its spaces into newlines.
std::string ulimits(In in) {
  if (!in.config.custom_linux_os_config().has_ulimit_config()) return "";
  const auto& limits = in.config.custom_linux_os_config().ulimit_config();
  std::string out = "[Service] ";
  if (limits.has_max_locked_memory()) out.append("LimitMEMLOCK=").append(limits.max_locked_memory()).append(" ");
  if (limits.has_no_file()) out.append("LimitNOFILE=").append(limits.no_file()).append(" ");
  return out;
}

// Shell text that exports the proxies. Values are not quoted for the shell, because the scripts expect this.
std::string proxy_vars(In in) {
  const auto& proxy = in.config.http_proxy_config();
  std::string out;
  if (!proxy.no_proxy_entries().empty())
    out.append("export NO_PROXY=\"").append(joined(proxy.no_proxy_entries(), ",")).append("\"; ");
  if (!proxy.https_proxy().empty()) out.append("export HTTPS_PROXY=\"").append(proxy.https_proxy()).append("\"; ");
  if (!proxy.http_proxy().empty()) out.append("export http_proxy=\"").append(proxy.http_proxy()).append("\";");
  return out;
}

// At most six hours; a value out of range is replaced by the default.
std::string cse_timeout(In in) {
  const int64_t seconds = in.config.cse_timeout();
  return number_text(seconds >= 1 && seconds <= 21600 ? seconds : 900);
}

std::string secure_tls_bootstrapping(In in) {
  return flag(in.config.bootstrapping_config().bootstrapping_auth_method() ==
              aksnodeconfig::v1::BOOTSTRAPPING_AUTH_METHOD_SECURE_TLS_BOOTSTRAPPING);
}

std::string kubelet_on_temporary_disk(In in) {
  return flag(in.config.kubelet_config().kubelet_disk_type() == aksnodeconfig::v1::KUBELET_DISK_TEMP_DISK);
}

std::string kubenet_template_base64(In) {
  static const std::string kEncoded = base64_encode(kubenet_template());
  return kEncoded;
}

std::string corefile(In in, HostsPlugin hosts) {
  return base64_encode(local_dns_corefile(in.config, hosts));
}

std::string hosts_refresh_interval(In in) {
  const int64_t seconds = in.config.local_dns_profile().hosts_plugin_refresh_interval_in_seconds();
  return seconds > 0 ? number_text(seconds) : "";
}

std::string swap_file_wanted(In in) {
  const auto& os = in.config.custom_linux_os_config();
  return flag(os.enable_swap_config() && os.swap_file_size() > 0);
}

std::string sysctl_content(In in) {
  return base64_encode(sysctl_file(sysctl_settings(in.config.custom_linux_os_config().sysctl_config(), in.remarks)));
}

constexpr std::string_view kContainerdSources =
    "kube_binary_config.pod_infra_container_image_url kubelet_config.container_data_dir is_kata "
    "enable_artifact_streaming needs_cgroupv2 network_config.network_plugin network_config.network_policy "
    "kubernetes_version";
constexpr std::string_view kContainerdGpuSources =
    "gpu_config.enable_nvidia kube_binary_config.pod_infra_container_image_url kubelet_config.container_data_dir "
    "is_kata "
    "enable_artifact_streaming needs_cgroupv2 network_config.network_plugin network_config.network_policy "
    "kubernetes_version";
constexpr std::string_view kCorefileSources =
    "local_dns_profile cluster_config.cluster_network_config.core_dns_service_ip";

constexpr CseVariable kVariables[] = {
    {"ADMINUSER", "linux_admin_username", field_or("azureuser")},
    {"AKS_CUSTOM_CLOUD_CONTAINER_REGISTRY_DNS_SUFFIX", "custom_cloud_config.container_registry_dns_suffix", field()},
    {"APISERVER_PUBLIC_KEY", "api_server_config.api_server_public_key", field()},
    {"API_SERVER_NAME", "api_server_config.api_server_name", field()},
    {"ARM_RESOURCE_ENDPOINT",
     "cluster_config.location custom_cloud_config.custom_cloud_env_name custom_cloud_config.custom_env_json_content",
     derived([](In in) { return arm_endpoint(in.cloud, in.config.custom_cloud_config().custom_env_json_content()); })},
    {"ARTIFACT_STREAMING_ENABLED", "enable_artifact_streaming", field()},
    {"AZURE_ENVIRONMENT_FILEPATH", "custom_cloud_config.custom_cloud_env_name",
     derived([](In in) { return in_custom_cloud(in, "/etc/kubernetes/akscustom.json"); })},
    {"AZURE_PRIVATE_REGISTRY_SERVER", "azure_private_registry_server", field()},
    {"BOOTSTRAP_PROFILE_CONTAINER_REGISTRY_SERVER", "bootstrap_profile_container_registry_server", field()},
    {"CLI_TOOL", "", constant("ctr")},
    {"CLOUDPROVIDER_BACKOFF", "cluster_config.cloud_provider_config.backoff", field_or("true")},
    {"CLOUDPROVIDER_BACKOFF_DURATION", "cluster_config.cloud_provider_config.backoff_duration", field_or("5")},
    {"CLOUDPROVIDER_BACKOFF_EXPONENT", "cluster_config.cloud_provider_config.backoff_exponent", field_or("0")},
    {"CLOUDPROVIDER_BACKOFF_JITTER", "cluster_config.cloud_provider_config.backoff_jitter", field_or("0")},
    {"CLOUDPROVIDER_BACKOFF_MODE", "cluster_config.cloud_provider_config.backoff_mode", field_or("v2")},
    {"CLOUDPROVIDER_BACKOFF_RETRIES", "cluster_config.cloud_provider_config.backoff_retries", field_or("6")},
    {"CLOUDPROVIDER_RATELIMIT", "cluster_config.cloud_provider_config.rate_limit", field_or("true")},
    {"CLOUDPROVIDER_RATELIMIT_BUCKET", "cluster_config.cloud_provider_config.rate_limit_bucket", field_or("100")},
    {"CLOUDPROVIDER_RATELIMIT_BUCKET_WRITE", "cluster_config.cloud_provider_config.rate_limit_bucket_write",
     field_or("100")},
    {"CLOUDPROVIDER_RATELIMIT_QPS", "cluster_config.cloud_provider_config.rate_limit_qps", field_or("10")},
    {"CLOUDPROVIDER_RATELIMIT_QPS_WRITE", "cluster_config.cloud_provider_config.rate_limit_qps_write", field_or("10")},
    {"CONFIG_GPU_DRIVER_IF_NEEDED", "gpu_config.config_gpu_driver", field()},
    {"CONTAINERD_CONFIG_CONTENT", kContainerdGpuSources,
     derived([](In in) { return base64_encode(containerd_config(in.config, in.containerd, GpuFile::kYes)); })},
    {"CONTAINERD_CONFIG_NO_GPU_CONTENT", kContainerdSources,
     derived([](In in) { return base64_encode(containerd_config(in.config, in.containerd, GpuFile::kNo)); })},
    {"CONTAINERD_DOWNLOAD_URL_BASE", "containerd_config.containerd_download_url_base", field()},
    {"CONTAINERD_PACKAGE_URL", "containerd_config.containerd_package_url", field()},
    {"CONTAINERD_ULIMITS", "custom_linux_os_config.ulimit_config", derived(ulimits)},
    {"CONTAINERD_VERSION", "containerd_config.containerd_version", field()},
    {"CREDENTIAL_PROVIDER_DOWNLOAD_URL", "kube_binary_config.linux_credential_provider_url", field()},
    {"CSE_CONFIG_FILEPATH", "", constant("/opt/azure/containers/provision_configs.sh")},
    {"CSE_DISTRO_HELPERS_FILEPATH", "", constant("/opt/azure/containers/provision_source_distro.sh")},
    {"CSE_DISTRO_INSTALL_FILEPATH", "", constant("/opt/azure/containers/provision_installs_distro.sh")},
    {"CSE_HELPERS_FILEPATH", "", constant("/opt/azure/containers/provision_source.sh")},
    {"CSE_INSTALL_FILEPATH", "", constant("/opt/azure/containers/provision_installs.sh")},
    {"CSE_TIMEOUT", "cse_timeout", derived(cse_timeout)},
    {"CUSTOM_CA_TRUST_COUNT", "custom_ca_certs",
     derived([](In in) { return number_text(int64_t{in.config.custom_ca_certs_size()}); })},
    {"CUSTOM_ENV_JSON", "custom_cloud_config.custom_env_json_content", field()},
    {"CUSTOM_KUBE_BINARY_URL", "kube_binary_config.custom_kube_binary_url", field()},
    {"CUSTOM_SEARCH_DOMAIN_FILEPATH", "", constant("/opt/azure/containers/setup-custom-search-domains.sh")},
    {"CUSTOM_SEARCH_DOMAIN_NAME", "custom_search_domain_config.domain_name", field()},
    {"CUSTOM_SEARCH_REALM_PASSWORD", "custom_search_domain_config.realm_password", field()},
    {"CUSTOM_SEARCH_REALM_USER", "custom_search_domain_config.realm_user", field()},
    {"CUSTOM_SECURE_TLS_BOOTSTRAPPING_CLIENT_DOWNLOAD_URL",
     "bootstrapping_config.secure_tls_bootstrapping_custom_client_download_url", field()},
    {"DHCPV6_CONFIG_FILEPATH", "", constant("/opt/azure/containers/enable-dhcpv6.sh")},
    {"DHCPV6_SERVICE_FILEPATH", "", constant("/etc/systemd/system/dhcpv6.service")},
    {"DISABLE_PUBKEY_AUTH", "disable_pubkey_auth", field()},
    {"DISABLE_SSH", "enable_ssh",
     derived([](In in) { return flag(in.config.has_enable_ssh() && !in.config.enable_ssh()); })},
    {"ENABLE_GPU_DEVICE_PLUGIN_IF_NEEDED", "gpu_config.gpu_device_plugin", field()},
    {"ENABLE_HOSTS_CONFIG_AGENT", "enable_hosts_config_agent", field()},
    {"ENABLE_IMDS_RESTRICTION", "imds_restriction_config.enable_imds_restriction", field()},
    {"ENABLE_KUBELET_SERVING_CERTIFICATE_ROTATION", "kubelet_config.kubelet_config_file_config.server_tls_bootstrap",
     field()},
    {"ENABLE_MANAGED_GPU", "gpu_config.enable_managed_gpu", field()},
    {"ENABLE_MANAGED_GPU_DRA", "gpu_config.enable_managed_gpu_dra", field()},
    {"ENABLE_SECURE_TLS_BOOTSTRAPPING", "bootstrapping_config.bootstrapping_auth_method",
     derived(secure_tls_bootstrapping)},
    {"ENABLE_UNATTENDED_UPGRADES", "enable_unattended_upgrade", field()},
    {"ENSURE_NO_DUPE_PROMISCUOUS_BRIDGE", "network_config.network_plugin network_config.network_policy",
     derived([](In in) { return flag(needs_kubenet_bridge(in.config.network_config())); })},
    {"EXCLUDE_MASTER_FROM_STANDARD_LB",
     "cluster_config.load_balancer_config.exclude_master_from_standard_load_balancer", field_or("true")},
    {"GPU_DRIVER_TYPE", "vm_size", derived([](In in) { return std::string(in.gpu.type); })},
    {"GPU_DRIVER_VERSION", "vm_size", derived([](In in) { return in.gpu.image.version; })},
    {"GPU_IMAGE_SHA", "vm_size", derived([](In in) { return in.gpu.image.suffix; })},
    {"GPU_INSTANCE_PROFILE", "gpu_config.gpu_instance_profile", field()},
    {"GPU_NEEDS_FABRIC_MANAGER", "vm_size",
     derived([](In in) { return flag(needs_fabric_manager(in.config.vm_size())); })},
    {"GPU_NODE", "gpu_config.enable_nvidia", field()},
    {"HAS_CUSTOM_SEARCH_DOMAIN",
     "custom_search_domain_config.domain_name custom_search_domain_config.realm_user "
     "custom_search_domain_config.realm_password",
     all_set()},
    {"HAS_KUBELET_DISK_TYPE", "kubelet_config.kubelet_disk_type", derived(kubelet_on_temporary_disk)},
    {"HTTPS_PROXY_URLS", "http_proxy_config.https_proxy", field()},
    {"HTTP_PROXY_TRUSTED_CA", "http_proxy_config.proxy_trusted_ca", one_line()},
    {"HTTP_PROXY_URLS", "http_proxy_config.http_proxy", field()},
    {"IDENTITY_BINDINGS_LOCAL_AUTHORITY_SNI", "service_account_image_pull_profile.local_authority_sni", field()},
    {"INIT_AKS_CLOUD_FILEPATH", "", constant(paths::kCloudTrustScript)},
    {"INSERT_IMDS_RESTRICTION_RULE_TO_MANGLE_TABLE",
     "imds_restriction_config.insert_imds_restriction_rule_to_mangle_table", field()},
    {"IPV6_DUAL_STACK_ENABLED", "ipv6_dual_stack_enabled", field()},
    {"IS_CUSTOM_CLOUD", "custom_cloud_config.custom_cloud_env_name",
     derived([](In in) { return flag(in.cloud == AzureCloud::kCustom); })},
    {"IS_KATA", "is_kata", field()},
    {"IS_VHD", "is_vhd", field_or("true")},
    {"KUBELET_CLIENT_CERT_CONTENT", "kubelet_config.kubelet_client_cert_content", field()},
    {"KUBELET_CLIENT_CONTENT", "kubelet_config.kubelet_client_key", field()},
    {"KUBELET_CONFIG_FILE_CONTENT", "kubelet_config.kubelet_config_file_config kubernetes_version",
     derived([](In in) { return base64_encode(kubelet_config_file(in.config)); })},
    {"KUBELET_CONFIG_FILE_ENABLED", "kubelet_config.enable_kubelet_config_file", field()},
    {"KUBELET_FLAGS", "kubelet_config.kubelet_flags kubernetes_version",
     derived([](In in) { return kubelet_flags(in.config); })},
    {"KUBELET_NODE_LABELS", "kubelet_config.kubelet_node_labels",
     derived([](In in) { return kubelet_node_labels(in.config.kubelet_config()); })},
    {"KUBENET_TEMPLATE", "", derived(kubenet_template_base64)},
    {"KUBEPROXY_URL", "kube_proxy_url", field()},
    {"KUBERNETES_VERSION", "kubernetes_version", field()},
    {"KUBE_BINARY_URL", "kube_binary_config.kube_binary_url", field()},
    {"KUBE_CA_CRT", "kubernetes_ca_cert", field()},
    {"LOAD_BALANCER_DISABLE_OUTBOUND_SNAT", "cluster_config.load_balancer_config.disable_outbound_snat", field()},
    {"LOAD_BALANCER_SKU", "cluster_config.load_balancer_config.load_balancer_sku", word("LOAD_BALANCER_SKU_")},
    {"LOCALDNS_COREFILE_BASE", kCorefileSources, derived([](In in) { return corefile(in, HostsPlugin::kNo); })},
    {"LOCALDNS_COREFILE_WITH_HOSTS", kCorefileSources, derived([](In in) { return corefile(in, HostsPlugin::kYes); })},
    {"LOCALDNS_CPU_LIMIT", "local_dns_profile.cpu_limit_in_milli_cores local_dns_profile.enable_local_dns",
     derived([](In in) { return local_dns_cpu_limit(in.config.local_dns_profile()); })},
    {"LOCALDNS_CRITICAL_FQDNS", "local_dns_profile.critical_fqdns",
     derived([](In in) { return local_dns_critical_names(in.config.local_dns_profile()); })},
    {"LOCALDNS_GENERATED_COREFILE", kCorefileSources, derived([](In in) { return corefile(in, HostsPlugin::kNo); })},
    {"LOCALDNS_HOSTS_PLUGIN_REFRESH_INTERVAL_IN_SECONDS", "local_dns_profile.hosts_plugin_refresh_interval_in_seconds",
     derived(hosts_refresh_interval)},
    {"LOCALDNS_MEMORY_LIMIT", "local_dns_profile.memory_limit_in_mb local_dns_profile.enable_local_dns",
     derived([](In in) { return local_dns_memory_limit(in.config.local_dns_profile()); })},
    {"LOCATION", "cluster_config.location", field()},
    {"MANAGED_GPU_EXPERIENCE_AFEC_ENABLED", "gpu_config.managed_gpu_experience_afec_enabled", field()},
    {"MAXIMUM_LOADBALANCER_RULE_COUNT", "cluster_config.load_balancer_config.max_load_balancer_rule_count",
     field_or("148")},
    {"MESSAGE_OF_THE_DAY", "message_of_the_day", field()},
    {"MIG_NODE", "gpu_config.gpu_instance_profile", any_set()},
    {"MOBY_VERSION", "", constant("")},
    {"NEEDS_CGROUPV2", "needs_cgroupv2", field()},
    {"NETWORK_ISOLATED_CLUSTER_TEST_MODE", "", constant("false")},
    {"NETWORK_MODE", "", constant("")},
    {"NETWORK_PLUGIN", "network_config.network_plugin", word("NETWORK_PLUGIN_")},
    {"NETWORK_POLICY", "network_config.network_policy", word("NETWORK_POLICY_")},
    {"NETWORK_SECURITY_GROUP", "cluster_config.cluster_network_config.security_group_name", field()},
    {"NO_PROXY_URLS", "http_proxy_config.no_proxy_entries", field()},
    {"NVIDIA_MIG_PROFILE_LAYOUT", "gpu_config.mig_profile_layout", field()},
    {"NVIDIA_MIG_STRATEGY", "gpu_config.mig_strategy", field()},
    {"OUTBOUND_COMMAND", "outbound_command", field()},
    {"PRE_PROVISION_ONLY", "pre_provision_only", field()},
    {"PRIMARY_AVAILABILITY_SET", "cluster_config.primary_availability_set", field()},
    {"PRIMARY_SCALE_SET", "cluster_config.primary_scale_set", field()},
    {"PRIVATE_EGRESS_PROXY_ADDRESS", "private_egress_proxy_address", field()},
    {"PRIVATE_KUBE_BINARY_URL", "kube_binary_config.private_kube_binary_url", field()},
    {"PROVISION_OUTPUT", "", constant(paths::kCseOutput)},
    {"PROXY_VARS", "http_proxy_config.no_proxy_entries http_proxy_config.https_proxy http_proxy_config.http_proxy",
     derived(proxy_vars)},
    {"REPO_DEPOT_ENDPOINT", "custom_cloud_config.repo_depot_endpoint custom_cloud_config.custom_cloud_env_name",
     derived([](In in) { return in_custom_cloud(in, in.config.custom_cloud_config().repo_depot_endpoint()); })},
    {"RESOURCE_GROUP", "cluster_config.resource_group", field()},
    {"ROUTE_TABLE", "cluster_config.cluster_network_config.route_table", field()},
    {"RUNC_PACKAGE_URL", "runc_config.runc_package_url", field()},
    {"RUNC_VERSION", "runc_config.runc_version", field()},
    {"SECURE_TLS_BOOTSTRAPPING_AAD_RESOURCE", "bootstrapping_config.secure_tls_bootstrapping_aad_resource", field()},
    {"SECURE_TLS_BOOTSTRAPPING_GET_ACCESS_TOKEN_TIMEOUT",
     "bootstrapping_config.secure_tls_bootstrapping_get_access_token_timeout", field()},
    {"SECURE_TLS_BOOTSTRAPPING_GET_ATTESTED_DATA_TIMEOUT",
     "bootstrapping_config.secure_tls_bootstrapping_get_attested_data_timeout", field()},
    {"SECURE_TLS_BOOTSTRAPPING_GET_CREDENTIAL_TIMEOUT",
     "bootstrapping_config.secure_tls_bootstrapping_get_credential_timeout", field()},
    {"SECURE_TLS_BOOTSTRAPPING_GET_INSTANCE_DATA_TIMEOUT",
     "bootstrapping_config.secure_tls_bootstrapping_get_instance_data_timeout", field()},
    {"SECURE_TLS_BOOTSTRAPPING_GET_NONCE_TIMEOUT", "bootstrapping_config.secure_tls_bootstrapping_get_nonce_timeout",
     field()},
    {"SECURE_TLS_BOOTSTRAPPING_USER_ASSIGNED_IDENTITY_ID",
     "bootstrapping_config.secure_tls_bootstrapping_user_assigned_identity_id", field()},
    {"SECURE_TLS_BOOTSTRAPPING_VALIDATE_KUBECONFIG_TIMEOUT",
     "bootstrapping_config.secure_tls_bootstrapping_validate_kubeconfig_timeout", field()},
    {"SERVICE_ACCOUNT_IMAGE_PULL_DEFAULT_CLIENT_ID", "service_account_image_pull_profile.default_client_id", field()},
    {"SERVICE_ACCOUNT_IMAGE_PULL_DEFAULT_TENANT_ID", "service_account_image_pull_profile.default_tenant_id", field()},
    {"SERVICE_ACCOUNT_IMAGE_PULL_ENABLED", "service_account_image_pull_profile.enabled", field()},
    {"SERVICE_PRINCIPAL_CLIENT_ID", "auth_config.service_principal_id", field()},
    {"SERVICE_PRINCIPAL_FILE_CONTENT", "auth_config.service_principal_secret", field()},
    {"SGX_NODE", "vm_size", derived([](In in) { return flag(has_sgx(in.config.vm_size())); })},
    {"SHOULD_CONFIGURE_CUSTOM_CA_TRUST", "custom_ca_certs", any_set()},
    {"SHOULD_CONFIGURE_HTTP_PROXY", "http_proxy_config.http_proxy http_proxy_config.https_proxy", any_set()},
    {"SHOULD_CONFIGURE_HTTP_PROXY_CA", "http_proxy_config.proxy_trusted_ca", any_set()},
    {"SHOULD_CONFIG_CONTAINERD_ULIMITS", "custom_linux_os_config.ulimit_config", any_set()},
    {"SHOULD_CONFIG_SWAP_FILE", "custom_linux_os_config.enable_swap_config custom_linux_os_config.swap_file_size",
     derived(swap_file_wanted)},
    {"SHOULD_CONFIG_TRANSPARENT_HUGE_PAGE",
     "custom_linux_os_config.transparent_defrag custom_linux_os_config.transparent_hugepage_support", any_set()},
    {"SHOULD_ENABLE_HOSTS_PLUGIN", "local_dns_profile.enable_local_dns local_dns_profile.enable_hosts_plugin",
     all_set()},
    {"SHOULD_ENABLE_LOCALDNS", "local_dns_profile.enable_local_dns", field()},
    {"SKIP_WAAGENT_HOLD", "", constant("true")},
    {"STANDARD_SECONDARY_NIC_COUNT", "network_config.standard_secondary_nic_count", field()},
    {"SUBNET", "cluster_config.cluster_network_config.subnet", field()},
    {"SUBSCRIPTION_ID", "auth_config.subscription_id", field()},
    {"SWAP_FILE_SIZE_MB", "custom_linux_os_config.swap_file_size", field()},
    {"SYSCTL_CONTENT", "custom_linux_os_config.sysctl_config", derived(sysctl_content)},
    {"TARGET_CLOUD", "cluster_config.location custom_cloud_config.custom_cloud_env_name",
     derived([](In in) { return std::string(target_cloud(in.cloud)); })},
    {"TARGET_ENVIRONMENT", "cluster_config.location custom_cloud_config.custom_cloud_env_name",
     derived([](In in) { return std::string(target_environment(in.cloud)); })},
    {"TENANT_ID", "auth_config.tenant_id", field()},
    {"THP_DEFRAG", "custom_linux_os_config.transparent_defrag", field()},
    {"THP_ENABLED", "custom_linux_os_config.transparent_hugepage_support", field()},
    {"TLS_BOOTSTRAP_TOKEN", "bootstrapping_config.tls_bootstrapping_token", field()},
    {"USER_ASSIGNED_IDENTITY_ID", "auth_config.assigned_identity_id", field()},
    {"USE_INSTANCE_METADATA", "cluster_config.use_instance_metadata", field()},
    {"USE_MANAGED_IDENTITY_EXTENSION", "auth_config.use_managed_identity_extension", field()},
    {"VIRTUAL_NETWORK", "cluster_config.cluster_network_config.vnet_name", field()},
    {"VIRTUAL_NETWORK_RESOURCE_GROUP", "cluster_config.cluster_network_config.vnet_resource_group", field()},
    {"VM_TYPE", "cluster_config.vm_type", word("VM_TYPE_")},
    {"VNET_CNI_PLUGINS_URL", "network_config.vnet_cni_plugins_url", field()},
};
bool holds_secret(const contract::MessageFields& fields) {
  return std::ranges::any_of(fields.all(), [](const contract::Field& inner) {
    return inner.secret || (inner.message != nullptr && holds_secret(*inner.message));
  });
}

bool is_or_holds_secret(std::string_view path) {
  const contract::Field* found = contract::field_at(path);
  return found && (found->secret || (found->message && holds_secret(*found->message)));
}

static_assert(std::ranges::is_sorted(kVariables, {}, &CseVariable::name));

}  // namespace

std::span<const CseVariable> cse_variables() {
  return kVariables;
}

std::vector<std::string_view> sources_of(const CseVariable& variable) {
  std::vector<std::string_view> paths;
  for (std::string_view rest = variable.sources; !rest.empty();) {
    paths.push_back(take_until(rest, ' '));
  }
  return paths;
}

bool may_hold_secret(const CseVariable& variable) {
  if (variable.rule.kind == Kind::kAnySet || variable.rule.kind == Kind::kAllSet) return false;
  return std::ranges::any_of(sources_of(variable), is_or_holds_secret);
}

}  // namespace sunup::render

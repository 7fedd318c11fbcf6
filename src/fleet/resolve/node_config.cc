#include "fleet/resolve/node_config.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

#include "base/duration.h"
#include "base/json_writer.h"
#include "base/text.h"
#include "contract/write.h"
#include "fleet/resolve/bootstrap_script.h"
#include "fleet/sources/patterns.h"
#include "fleet/sources/quantity.h"

namespace sunup::fleet {
namespace {

namespace v1 = aksnodeconfig::v1;
using nlohmann::json;

int32_t whole(const std::string& text) {
  int32_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

double real(const std::string& text) {
  double value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

bool truth(const std::string& text) {
  return text == "true";
}

int32_t megabytes(const std::string& quantity) {
  const auto bytes = parse_quantity(quantity);
  if (!bytes) return 0;
  constexpr double kMost = std::numeric_limits<int32_t>::max();
  return static_cast<int32_t>(std::min(std::round(static_cast<double>(bytes->units()) / 1048576.0), kMost));
}

void set_cluster(v1::ClusterConfig& cluster, const BootstrapVariables& vars, const Resolution& node) {
  cluster.set_resource_group(vars.text(Var::kResourceGroup));
  cluster.set_location(vars.text(Var::kLocation));
  cluster.set_vm_type(vars.text(Var::kVMType) == "vmss" ? v1::VM_TYPE_VMSS : v1::VM_TYPE_STANDARD);
  cluster.set_primary_availability_set(vars.text(Var::kPrimaryAvailabilitySet));
  cluster.set_primary_scale_set(vars.text(Var::kPrimaryScaleSet));
  cluster.set_use_instance_metadata(truth(vars.text(Var::kUseInstanceMetadata)));

  v1::ClusterNetworkConfig& network = *cluster.mutable_cluster_network_config();
  network.set_vnet_name(vars.text(Var::kVirtualNetwork));
  network.set_vnet_resource_group(vars.text(Var::kVirtualNetworkResourceGroup));
  network.set_subnet(vars.text(Var::kSubnet));
  network.set_security_group_name(vars.text(Var::kNetworkSecurityGroup));
  network.set_route_table(vars.text(Var::kRouteTable));
  network.set_core_dns_service_ip(*node.cluster_dns);

  v1::LoadBalancerConfig& balancer = *cluster.mutable_load_balancer_config();
  balancer.set_load_balancer_sku(equal_ignoring_case(vars.text(Var::kLoadBalancerSKU), "basic")
                                     ? v1::LOAD_BALANCER_SKU_BASIC
                                     : v1::LOAD_BALANCER_SKU_STANDARD);
  balancer.set_exclude_master_from_standard_load_balancer(truth(vars.text(Var::kExcludeMasterFromStandardLB)));
  balancer.set_max_load_balancer_rule_count(whole(vars.text(Var::kMaximumLoadbalancerRuleCount)));
  balancer.set_disable_outbound_snat(truth(vars.text(Var::kLoadBalancerDisableOutboundSNAT)));

  v1::CloudProviderConfig& cloud = *cluster.mutable_cloud_provider_config();
  cloud.set_backoff(truth(vars.text(Var::kCloudProviderBackoff)));
  cloud.set_backoff_mode(vars.text(Var::kCloudProviderBackoffMode));
  cloud.set_backoff_retries(whole(vars.text(Var::kCloudProviderBackoffRetries)));
  cloud.set_backoff_exponent(real(vars.text(Var::kCloudProviderBackoffExponent)));
  cloud.set_backoff_duration(whole(vars.text(Var::kCloudProviderBackoffDuration)));
  cloud.set_backoff_jitter(real(vars.text(Var::kCloudProviderBackoffJitter)));
  cloud.set_rate_limit(truth(vars.text(Var::kCloudProviderRatelimit)));
  cloud.set_rate_limit_qps(real(vars.text(Var::kCloudProviderRatelimitQPS)));
  cloud.set_rate_limit_qps_write(real(vars.text(Var::kCloudProviderRatelimitQPSWrite)));
  cloud.set_rate_limit_bucket(whole(vars.text(Var::kCloudProviderRatelimitBucket)));
  cloud.set_rate_limit_bucket_write(whole(vars.text(Var::kCloudProviderRatelimitBucketWrite)));
}

void set_network(v1::NetworkConfig& network, const BootstrapVariables& vars) {
  const std::string& plugin = vars.text(Var::kNetworkPlugin);
  network.set_network_plugin(plugin == "azure"     ? v1::NETWORK_PLUGIN_AZURE
                             : plugin == "kubenet" ? v1::NETWORK_PLUGIN_KUBENET
                                                   : v1::NETWORK_PLUGIN_NONE);
  // The contract has no name for cilium: nodes do nothing special for it.
  const std::string policy = lowered(vars.text(Var::kNetworkPolicy));
  network.set_network_policy(policy == "azure"    ? v1::NETWORK_POLICY_AZURE
                             : policy == "calico" ? v1::NETWORK_POLICY_CALICO
                             : policy == "none"   ? v1::NETWORK_POLICY_NONE
                                                  : v1::NETWORK_POLICY_UNSPECIFIED);
  network.set_vnet_cni_plugins_url(vars.text(Var::kVNETCNILinuxPluginsURL));
  network.set_cni_plugins_url(vars.text(Var::kCNIPluginsURL));
}

// Names in the API and in the contract differ by more than their case, so they are matched one by one.
void set_sysctls(v1::SysctlConfig& sysctls, const json& from) {
  using Set = void (v1::SysctlConfig::*)(int32_t);
  constexpr std::pair<const char*, Set> kNumbers[] = {
      {"fsAioMaxNr", &v1::SysctlConfig::set_fs_aio_max_nr},
      {"fsFileMax", &v1::SysctlConfig::set_fs_file_max},
      {"fsInotifyMaxUserWatches", &v1::SysctlConfig::set_fs_inotify_max_user_watches},
      {"fsNrOpen", &v1::SysctlConfig::set_fs_nr_open},
      {"kernelThreadsMax", &v1::SysctlConfig::set_kernel_threads_max},
      {"netCoreNetdevMaxBacklog", &v1::SysctlConfig::set_net_core_netdev_max_backlog},
      {"netCoreOptmemMax", &v1::SysctlConfig::set_net_core_optmem_max},
      {"netCoreRmemDefault", &v1::SysctlConfig::set_net_core_rmem_default},
      {"netCoreRmemMax", &v1::SysctlConfig::set_net_core_rmem_max},
      {"netCoreSomaxconn", &v1::SysctlConfig::set_net_core_somaxconn},
      {"netCoreWmemDefault", &v1::SysctlConfig::set_net_core_wmem_default},
      {"netCoreWmemMax", &v1::SysctlConfig::set_net_core_wmem_max},
      {"netIPv4NeighDefaultGcThresh1", &v1::SysctlConfig::set_net_ipv4_neigh_default_gc_thresh1},
      {"netIPv4NeighDefaultGcThresh2", &v1::SysctlConfig::set_net_ipv4_neigh_default_gc_thresh2},
      {"netIPv4NeighDefaultGcThresh3", &v1::SysctlConfig::set_net_ipv4_neigh_default_gc_thresh3},
      {"netIPv4TCPFinTimeout", &v1::SysctlConfig::set_net_ipv4_tcp_fin_timeout},
      {"netIPv4TCPKeepaliveIntvl", &v1::SysctlConfig::set_net_ipv4_tcpkeepalive_intvl},
      {"netIPv4TCPKeepaliveProbes", &v1::SysctlConfig::set_net_ipv4_tcp_keepalive_probes},
      {"netIPv4TCPKeepaliveTime", &v1::SysctlConfig::set_net_ipv4_tcp_keepalive_time},
      {"netIPv4TCPMaxSynBacklog", &v1::SysctlConfig::set_net_ipv4_tcp_max_syn_backlog},
      {"netIPv4TCPMaxTwBuckets", &v1::SysctlConfig::set_net_ipv4_tcp_max_tw_buckets},
      {"netNetfilterNfConntrackBuckets", &v1::SysctlConfig::set_net_netfilter_nf_conntrack_buckets},
      {"netNetfilterNfConntrackMax", &v1::SysctlConfig::set_net_netfilter_nf_conntrack_max},
      {"vmMaxMapCount", &v1::SysctlConfig::set_vm_max_map_count},
      {"vmSwappiness", &v1::SysctlConfig::set_vm_swappiness},
      {"vmVfsCachePressure", &v1::SysctlConfig::set_vm_vfs_cache_pressure},
  };
  for (const auto& [name, set] : kNumbers)
    if (from.contains(name)) (sysctls.*set)(from[name].get<int32_t>());
  if (from.contains("netIPv4IPLocalPortRange"))
    sysctls.set_net_ipv4_ip_local_port_range(from["netIPv4IPLocalPortRange"].get<std::string>());
  if (from.contains("netIPv4TCPTwReuse")) sysctls.set_net_ipv4_tcp_tw_reuse(from["netIPv4TCPTwReuse"].get<bool>());
}

void set_linux(v1::Configuration& config, const LinuxOsConfig& from) {
  v1::CustomLinuxOsConfig& linux_config = *config.mutable_custom_linux_os_config();
  if (!from.sysctls.empty()) set_sysctls(*linux_config.mutable_sysctl_config(), from.sysctls);
  if (from.swap_file_size) {
    linux_config.set_enable_swap_config(true);
    linux_config.set_swap_file_size(megabytes(*from.swap_file_size));
  }
  linux_config.set_transparent_hugepage_support(from.transparent_huge_page_enabled.value_or(""));
  linux_config.set_transparent_defrag(from.transparent_huge_page_defrag.value_or(""));
}

void set_local_dns(v1::LocalDnsProfile& profile, const json& from) {
  profile.set_enable_local_dns(true);
  const auto seconds = [](const json& zone, const char* name) {
    const auto duration = parse_go_duration(zone.value(name, "0s")).value_or(std::chrono::seconds(0));
    return static_cast<int32_t>(duration / std::chrono::seconds(1));
  };
  const auto fill = [&](google::protobuf::Map<std::string, v1::LocalDnsOverrides>& zones, const char* name) {
    for (const json& zone : from.value(name, json::array())) {
      v1::LocalDnsOverrides& into = zones[zone.value("zone", "")];
      into.set_query_logging(zone.value("queryLogging", ""));
      into.set_protocol(zone.value("protocol", ""));
      into.set_forward_destination(zone.value("forwardDestination", ""));
      into.set_forward_policy(zone.value("forwardPolicy", ""));
      into.set_max_concurrent(zone.value("maxConcurrent", 1000));
      into.set_cache_duration_in_seconds(seconds(zone, "cacheDuration"));
      into.set_serve_stale_duration_in_seconds(seconds(zone, "serveStaleDuration"));
      into.set_serve_stale(zone.value("serveStale", ""));
    }
  };
  fill(*profile.mutable_vnet_dns_overrides(), "vnetDNSOverrides");
  fill(*profile.mutable_kube_dns_overrides(), "kubeDNSOverrides");
}

void set_proxy(v1::Configuration& config, const BootstrapVariables& vars) {
  if (truth(vars.text(Var::kShouldConfigureHTTPProxy)) || !vars.text(Var::kNoProxyURLs).empty()) {
    v1::HttpProxyConfig& proxy = *config.mutable_http_proxy_config();
    proxy.set_http_proxy(vars.text(Var::kHTTPProxyURLs));
    proxy.set_https_proxy(vars.text(Var::kHTTPSProxyURLs));
    proxy.set_proxy_trusted_ca(vars.text(Var::kHTTPProxyTrustedCA));
    const std::string& entries = vars.text(Var::kNoProxyURLs);
    for (size_t at = 0; at < entries.size();) {
      const size_t comma = std::min(entries.find(',', at), entries.size());
      proxy.add_no_proxy_entries(entries.substr(at, comma - at));
      at = comma + 1;
    }
  }
  const std::string& certificates = vars.text(Var::kCustomCATrustConfigCerts);
  for (size_t at = 0; at < certificates.size();) {
    const size_t end = std::min(certificates.find(kItemSeparator, at), certificates.size());
    config.add_custom_ca_certs(certificates.substr(at, end - at));
    at = end + 1;
  }
}

// A map as the contract's canonical text has it, one level below kubelet_config.
void append_map(std::string& text, std::string_view name, const ValueMap& values) {
  text.append(1, '"').append(name).append("\": {");
  bool first = true;
  values.each([&](const std::string& key, const Value<std::string>& value) {
    text.append(first ? "\n      " : ",\n      ").append(json_string(key)).append(": ");
    text += json_string(*value);
    first = false;
  });
  text += "\n    }";
}

std::string maps_text(const ValueMap& flags, const ValueMap& labels) {
  std::string text;
  text.reserve(8u << 10);
  append_map(text, "kubelet_flags", flags);
  text += ",\n    ";
  append_map(text, "kubelet_node_labels", labels);
  return text;
}

}  // namespace

NodeConfigFrame::NodeConfigFrame(const Resolution& kind) {
  // One flag and one label, so that both maps have their place in the text.
  Resolution blank = kind;
  blank.kubelet_flags = ValueMap();
  blank.labels = ValueMap();
  for (ValueMap* values : {&blank.kubelet_flags, &blank.labels}) values->offer("-", Source::kHardcoded, "", "");
  const std::string text = contract::to_json(node_config(blank));
  const std::string maps = maps_text(blank.kubelet_flags, blank.labels);
  const size_t at = text.find(maps);
  if (at == text.npos) return;  // the writer has another layout than is known here
  before_ = text.substr(0, at);
  after_ = text.substr(at + maps.size());
}

std::string NodeConfigFrame::fill(const Resolution& node) const {
  if (before_.empty()) return contract::to_json(node_config(node));
  return before_ + maps_text(node.kubelet_flags, node.labels) + after_;
}

contract::Configuration node_config(const Resolution& node) {
  const BootstrapVariables& vars = node.variables;
  v1::Configuration config;
  config.set_version("v1");
  v1::KubeBinaryConfig& binaries = *config.mutable_kube_binary_config();
  binaries.set_kube_binary_url(vars.text(Var::kKubeBinaryURL));
  binaries.set_linux_credential_provider_url(vars.text(Var::kCredentialProviderDownloadURL));
  binaries.set_pod_infra_container_image_url("mcr.microsoft.com/oss/kubernetes/pause:3.6");
  config.mutable_api_server_config()->set_api_server_name(vars.text(Var::kAPIServerName));
  set_cluster(*config.mutable_cluster_config(), vars, node);

  v1::BootstrappingConfig& bootstrapping = *config.mutable_bootstrapping_config();
  bootstrapping.set_bootstrapping_auth_method(v1::BOOTSTRAPPING_AUTH_METHOD_BOOTSTRAP_TOKEN);
  bootstrapping.set_tls_bootstrapping_token(vars.text(Var::kTLSBootstrapToken));
  v1::AuthConfig& auth = *config.mutable_auth_config();
  auth.set_tenant_id(vars.text(Var::kTenantID));
  auth.set_subscription_id(vars.text(Var::kSubscriptionID));
  auth.set_service_principal_id(vars.text(Var::kServicePrincipalClientID));
  auth.set_service_principal_secret(vars.text(Var::kServicePrincipalFileContent));
  auth.set_assigned_identity_id(vars.text(Var::kUserAssignedIdentityID));
  auth.set_use_managed_identity_extension(truth(vars.text(Var::kUseManagedIdentityExtension)));

  v1::KubeletConfig& kubelet = *config.mutable_kubelet_config();
  const auto fill = [](google::protobuf::Map<std::string, std::string>& into, const ValueMap& values) {
    values.each([&into](const std::string& key, const Value<std::string>& value) { into[key] = *value; });
  };
  fill(*kubelet.mutable_kubelet_flags(), node.kubelet_flags);
  fill(*kubelet.mutable_kubelet_node_labels(), node.labels);

  set_network(*config.mutable_network_config(), vars);
  if (truth(vars.text(Var::kGPUNode))) {
    config.mutable_gpu_config()->set_enable_nvidia(true);
    config.mutable_gpu_config()->set_config_gpu_driver(truth(vars.text(Var::kConfigGPUDriverIfNeeded)));
  }
  config.set_kubernetes_ca_cert(vars.text(Var::kKubeCACrt));
  config.set_kubernetes_version(vars.text(Var::kKubernetesVersion));
  config.set_vm_size(node.instance_type->name);
  config.set_linux_admin_username(vars.text(Var::kAdminUsername));
  config.set_is_vhd(truth(vars.text(Var::kIsVHD)));
  config.set_enable_ssh(!truth(vars.text(Var::kDisableSSH)));
  config.set_needs_cgroupv2(truth(vars.text(Var::kNeedsCgroupV2)));
  config.set_outbound_command(vars.text(Var::kOutboundCommand));
  config.set_message_of_the_day(vars.text(Var::kMessageOfTheDay));
  set_proxy(config, vars);
  if (node.from_class->linux_os_config) set_linux(config, *node.from_class->linux_os_config);
  if (node.local_dns) set_local_dns(*config.mutable_local_dns_profile(), node.from_class->local_dns_zones);
  config.set_enable_artifact_streaming(node.artifact_streaming);
  return config;
}

}  // namespace sunup::fleet

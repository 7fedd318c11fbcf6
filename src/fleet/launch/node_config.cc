#include "fleet/launch/node_config.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/duration.h"
#include "base/text.h"
#include "fleet/resolve/node_defaults.h"
#include "fleet/sources/quantity.h"

namespace sunup::fleet {
namespace {

namespace v1 = aksnodeconfig::v1;
using nlohmann::json;

int32_t megabytes(const std::string& quantity) {
  const auto bytes = parse_quantity(quantity);
  if (!bytes) return 0;
  constexpr double kMost = std::numeric_limits<int32_t>::max();
  return static_cast<int32_t>(std::min(std::round(static_cast<double>(bytes->units()) / 1048576.0), kMost));
}

void set_cluster(v1::ClusterConfig& config, const NodeKind& kind) {
  const Cluster& cluster = *kind.cluster;
  const NodeDefaults& defaults = kNodeDefaults;
  config.set_resource_group(*cluster.resource_group);
  config.set_location(*cluster.location);
  config.set_vm_type(v1::VM_TYPE_STANDARD);
  config.set_use_instance_metadata(defaults.use_instance_metadata);

  v1::ClusterNetworkConfig& network = *config.mutable_cluster_network_config();
  network.set_vnet_name(kind.subnet.vnet);
  network.set_vnet_resource_group(kind.subnet.resource_group);
  network.set_subnet(kind.subnet.subnet);
  network.set_security_group_name(*cluster.security_group);
  network.set_route_table(*cluster.route_table);
  network.set_core_dns_service_ip(*kind.cluster_dns);

  v1::LoadBalancerConfig& balancer = *config.mutable_load_balancer_config();
  balancer.set_load_balancer_sku(v1::LOAD_BALANCER_SKU_STANDARD);
  balancer.set_exclude_master_from_standard_load_balancer(defaults.exclude_master_from_load_balancer);
  balancer.set_max_load_balancer_rule_count(defaults.max_load_balancer_rules);
  balancer.set_disable_outbound_snat(defaults.disable_outbound_snat);

  v1::CloudProviderConfig& cloud = *config.mutable_cloud_provider_config();
  cloud.set_backoff(defaults.backoff);
  cloud.set_backoff_mode(std::string(defaults.backoff_mode));
  cloud.set_backoff_retries(defaults.backoff_retries);
  cloud.set_backoff_exponent(defaults.backoff_exponent);
  cloud.set_backoff_duration(defaults.backoff_seconds);
  cloud.set_backoff_jitter(defaults.backoff_jitter);
  cloud.set_rate_limit(defaults.rate_limit);
  cloud.set_rate_limit_qps(defaults.rate_limit_qps);
  cloud.set_rate_limit_qps_write(defaults.rate_limit_qps_write);
  cloud.set_rate_limit_bucket(defaults.rate_limit_bucket);
  cloud.set_rate_limit_bucket_write(defaults.rate_limit_bucket_write);
}

void set_network(v1::NetworkConfig& network, const NodeKind& kind) {
  const NetworkPlugin plugin = *kind.cluster->network_plugin;
  network.set_network_plugin(plugin == NetworkPlugin::kAzure     ? v1::NETWORK_PLUGIN_AZURE
                             : plugin == NetworkPlugin::kKubenet ? v1::NETWORK_PLUGIN_KUBENET
                                                                 : v1::NETWORK_PLUGIN_NONE);
  // The contract has no name for cilium: nodes do nothing special for it.
  const std::string policy = lowered(*kind.cluster->network_policy);
  network.set_network_policy(policy == "azure"    ? v1::NETWORK_POLICY_AZURE
                             : policy == "calico" ? v1::NETWORK_POLICY_CALICO
                             : policy == "none"   ? v1::NETWORK_POLICY_NONE
                                                  : v1::NETWORK_POLICY_UNSPECIFIED);
  network.set_vnet_cni_plugins_url(kind.downloads.azure_cni);
  network.set_cni_plugins_url(kind.downloads.cni_plugins);
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

void set_proxy(v1::Configuration& config, const Cluster& cluster) {
  const std::string& exceptions = *cluster.no_proxy;
  if (!cluster.http_proxy->empty() || !cluster.https_proxy->empty() || !exceptions.empty()) {
    v1::HttpProxyConfig& proxy = *config.mutable_http_proxy_config();
    proxy.set_http_proxy(*cluster.http_proxy);
    proxy.set_https_proxy(*cluster.https_proxy);
    proxy.set_proxy_trusted_ca(*cluster.proxy_trusted_ca);
    for (std::string_view rest = exceptions; !rest.empty();)
      proxy.add_no_proxy_entries(std::string(take_until(rest, ',')));
  }
  for (const std::string& certificate : *cluster.trusted_certificates) config.add_custom_ca_certs(certificate);
}

}  // namespace

contract::Configuration kind_config(const NodeKind& kind) {
  const Cluster& cluster = *kind.cluster;
  const NodeDefaults& defaults = kNodeDefaults;
  v1::Configuration config;
  config.set_version("v1");
  v1::KubeBinaryConfig& binaries = *config.mutable_kube_binary_config();
  binaries.set_kube_binary_url(kind.downloads.kubernetes);
  binaries.set_linux_credential_provider_url(kind.downloads.credential_provider);
  binaries.set_pod_infra_container_image_url(std::string(defaults.pause_image));
  config.mutable_api_server_config()->set_api_server_name(*cluster.api_server);
  set_cluster(*config.mutable_cluster_config(), kind);

  v1::BootstrappingConfig& bootstrapping = *config.mutable_bootstrapping_config();
  bootstrapping.set_bootstrapping_auth_method(v1::BOOTSTRAPPING_AUTH_METHOD_BOOTSTRAP_TOKEN);
  bootstrapping.set_tls_bootstrapping_token(*cluster.bootstrap_token);
  v1::AuthConfig& auth = *config.mutable_auth_config();
  auth.set_tenant_id(*cluster.tenant_id);
  auth.set_subscription_id(*cluster.subscription_id);
  auth.set_service_principal_id(std::string(defaults.service_principal_id));
  auth.set_service_principal_secret(std::string(defaults.service_principal_secret));
  auth.set_assigned_identity_id(*cluster.kubelet_identity);
  auth.set_use_managed_identity_extension(defaults.use_managed_identity);

  config.mutable_kubelet_config();
  set_network(*config.mutable_network_config(), kind);
  if (kind.gpu_driver) {
    config.mutable_gpu_config()->set_enable_nvidia(true);
    config.mutable_gpu_config()->set_config_gpu_driver(true);
  }
  config.set_kubernetes_ca_cert(*cluster.ca_bundle);
  config.set_kubernetes_version(*kind.kubernetes_version);
  config.set_vm_size(kind.instance_type->name);
  config.set_linux_admin_username(*cluster.admin_username);
  config.set_is_vhd(defaults.is_vhd);
  config.set_enable_ssh(!defaults.disable_ssh);
  config.set_needs_cgroupv2(defaults.cgroup_v2);
  config.set_outbound_command(std::string(defaults.outbound_command));
  config.set_message_of_the_day(*cluster.message_of_the_day);
  set_proxy(config, cluster);
  if (kind.from_class->linux_os_config) set_linux(config, *kind.from_class->linux_os_config);
  if (kind.local_dns) set_local_dns(*config.mutable_local_dns_profile(), kind.from_class->local_dns_zones);
  config.set_enable_artifact_streaming(kind.artifact_streaming);
  return config;
}

void set_kubelet(contract::Configuration& config, const ValueMap& flags, const ValueMap& labels) {
  const auto fill = [](google::protobuf::Map<std::string, std::string>& into, const ValueMap& values) {
    into.clear();
    values.each([&into](const std::string& key, const Value<std::string>& value) { into[key] = *value; });
  };
  fill(*config.mutable_kubelet_config()->mutable_kubelet_flags(), flags);
  fill(*config.mutable_kubelet_config()->mutable_kubelet_node_labels(), labels);
}

contract::Configuration node_config(const Resolution& node) {
  contract::Configuration config = kind_config(*node.kind);
  set_kubelet(config, node.kubelet_flags, node.labels);
  return config;
}

}  // namespace sunup::fleet

#include "fleet/launch/bootstrap_variables.h"

#include <fmt/format.h>

#include "base/base64.h"
#include "base/node_paths.h"
#include "base/text.h"
#include "fleet/resolve/node_defaults.h"
#include "render/gpu_driver.h"

namespace sunup::fleet {
namespace {

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

// containerd's configuration: schema 2 with the plugin names of containerd 1.x, for every image.
std::string containerd_config(bool nvidia, bool kubenet_bridge) {
  constexpr std::string_view kCri = R"(plugins."io.containerd.grpc.v1.cri")";
  const std::string_view runtime = nvidia ? "nvidia-container-runtime" : "runc";
  std::string text = fmt::format(
      R"(version = 2
oom_score = 0
[{0}]
  sandbox_image = "{2}"
  [{0}.containerd]
    default_runtime_name = "{1}"
    [{0}.containerd.runtimes.{1}]
      runtime_type = "io.containerd.runc.v2"
    [{0}.containerd.runtimes.{1}.options]
      BinaryName = "/usr/bin/{1}"
      SystemdCgroup = true
    [{0}.containerd.runtimes.untrusted]
      runtime_type = "io.containerd.runc.v2"
    [{0}.containerd.runtimes.untrusted.options]
      BinaryName = "/usr/bin/{1}"
)",
      kCri, runtime, kNodeDefaults.pause_image);
  if (kubenet_bridge)
    text += fmt::format(
        R"(  [{}.cni]
    bin_dir = "{}"
    conf_dir = "{}"
    conf_template = "{}"
)",
        kCri, paths::kCniPlugins, paths::kCniConfigs, paths::kKubenetTemplate);
  text += fmt::format(
      R"(  [{0}.registry]
    config_path = "{1}"
  [{0}.registry.headers]
    X-Meta-Source-Client = ["azure/aks"]
[metrics]
  address = "0.0.0.0:10257"
)",
      kCri, paths::kRegistryHosts);
  return text;
}

std::string_view plugin_name(NetworkPlugin plugin) {
  return plugin == NetworkPlugin::kKubenet ? "kubenet" : plugin == NetworkPlugin::kNone ? "none" : "azure";
}

// The variables as they are being collected.
struct Out {
  VarTable& table;

  // The value of the resolution with its history, if it has one.
  void take(Var var, const Value<std::string>& value) {
    if (value.set()) table[var.index] = value;
  }
  void compute(Var var, std::string_view where, std::string_view value) {
    table[var.index].offer(Source::kComputed, where, std::string(value));
  }
  void hardcode(Var var, std::string_view value) {
    table[var.index] = Value<std::string>(Source::kHardcoded, "", std::string(value));
  }
  void hardcode(Var var, bool on) { hardcode(var, on ? std::string_view("true") : "false"); }
  void hardcode(Var var, int number) { hardcode(var, std::string_view(fmt::to_string(number))); }
};

void add_cluster(Out out, const Cluster& cluster) {
  out.take("AdminUsername", cluster.admin_username);
  out.take("TenantID", cluster.tenant_id);
  out.take("SubscriptionID", cluster.subscription_id);
  out.take("ResourceGroup", cluster.resource_group);
  out.take("Location", cluster.location);
  out.take("NetworkPolicy", cluster.network_policy);
  out.take("UserAssignedIdentityID", cluster.kubelet_identity);
  out.take("TLSBootstrapToken", cluster.bootstrap_token);
  out.take("NetworkSecurityGroup", cluster.security_group);
  out.take("RouteTable", cluster.route_table);
  out.take("TargetCloud", cluster.cloud);
  out.take("TargetEnvironment", cluster.cloud);
  out.take("APIServerName", cluster.api_server);
  out.take("KubeCACrt", cluster.ca_bundle);
  out.take("MessageOfTheDay", cluster.message_of_the_day);
  out.compute("NetworkPlugin", cluster.network_plugin.origin().where, plugin_name(*cluster.network_plugin));
  if (cluster.kubenet_bridge) out.compute("EnsureNoDupePromiscuousBridge", "kubenet without calico", "true");

  out.take("HTTPProxyURLs", cluster.http_proxy);
  out.take("HTTPSProxyURLs", cluster.https_proxy);
  out.take("NoProxyURLs", cluster.no_proxy);
  out.take("HTTPProxyTrustedCA", cluster.proxy_trusted_ca);
  if (!cluster.http_proxy->empty() || !cluster.https_proxy->empty())
    out.compute("ShouldConfigureHTTPProxy", "http-proxy or https-proxy is set", "true");
  if (!cluster.proxy_trusted_ca->empty()) out.compute("ShouldConfigureHTTPProxyCA", "proxy-trusted-ca is set", "true");
  if (!cluster.trusted_certificates->empty()) {
    offer_history(out.table[Var("CustomCATrustConfigCerts").index], cluster.trusted_certificates,
                  [](const auto& items) { return joined(items, {&kItemSeparator, 1}); });
    out.compute("ShouldConfigureCustomCATrust", "custom-ca-certs is set", "true");
  }
}

void add_gpu(Out out, const GpuDriverImage& driver, std::string_view vm_size) {
  constexpr std::string_view kWhere = "the instance type's GPU";
  out.compute("GPUNode", kWhere, "true");
  out.compute("ConfigGPUDriverIfNeeded", kWhere, "true");
  out.compute("GPUDriverVersion", kWhere, driver.version);
  out.compute("GPUDriverType", kWhere, driver.type);
  out.compute("GPUImageSHA", kWhere, driver.image_suffix);
  if (render::needs_fabric_manager(find_gpu_size(vm_size)->size)) out.compute("GPUNeedsFabricManager", kWhere, "true");
}

void add_kind(Out out, const NodeKind& kind) {
  constexpr std::string_view kByVersion = "the Kubernetes version and the architecture";
  out.take("KubernetesVersion", kind.kubernetes_version);
  if (!kind.downloads.kubernetes.empty()) out.compute("KubeBinaryURL", kByVersion, kind.downloads.kubernetes);
  if (!kind.downloads.credential_provider.empty())
    out.compute("CredentialProviderDownloadURL", kByVersion, kind.downloads.credential_provider);
  out.compute("VNETCNILinuxPluginsURL", "the architecture", kind.downloads.azure_cni);
  out.compute("CNIPluginsURL", "the architecture", kind.downloads.cni_plugins);
  out.compute("Subnet", "the subnet ID", kind.subnet.subnet);
  out.compute("VirtualNetwork", "the subnet ID", kind.subnet.vnet);
  out.compute("VirtualNetworkResourceGroup", "the subnet ID", kind.subnet.resource_group);
  if (kind.gpu_driver) add_gpu(out, *kind.gpu_driver, kind.instance_type->name);
  out.compute("ContainerdConfigContent", "GPU and network plugin",
              base64_encode(containerd_config(kind.gpu_driver.has_value(), kind.cluster->kubenet_bridge)));
}

void add_defaults(Out out) {
  const NodeDefaults& all = kNodeDefaults;
  for (size_t i = 0; i < kVarCount; ++i)
    out.table[i] = Value<std::string>(Source::kHardcoded, "", std::string(kVarRows[i].hardcoded));
  out.hardcode("CloudProviderBackoff", all.backoff);
  out.hardcode("CloudProviderBackoffMode", all.backoff_mode);
  out.hardcode("CloudProviderBackoffRetries", all.backoff_retries);
  out.hardcode("CloudProviderBackoffExponent", all.backoff_exponent);
  out.hardcode("CloudProviderBackoffDuration", all.backoff_seconds);
  out.hardcode("CloudProviderBackoffJitter", all.backoff_jitter);
  out.hardcode("CloudProviderRatelimit", all.rate_limit);
  out.hardcode("CloudProviderRatelimitQPS", all.rate_limit_qps);
  out.hardcode("CloudProviderRatelimitQPSWrite", all.rate_limit_qps_write);
  out.hardcode("CloudProviderRatelimitBucket", all.rate_limit_bucket);
  out.hardcode("CloudProviderRatelimitBucketWrite", all.rate_limit_bucket_write);
  out.hardcode("LoadBalancerDisableOutboundSNAT", all.disable_outbound_snat);
  out.hardcode("ExcludeMasterFromStandardLB", all.exclude_master_from_load_balancer);
  out.hardcode("MaximumLoadbalancerRuleCount", all.max_load_balancer_rules);
  out.hardcode("UseInstanceMetadata", all.use_instance_metadata);
  out.hardcode("UseManagedIdentityExtension", all.use_managed_identity);
  out.hardcode("ServicePrincipalClientID", all.service_principal_id);
  out.hardcode("ServicePrincipalFileContent", all.service_principal_secret);
  out.hardcode("IsVHD", all.is_vhd);
  out.hardcode("DisableSSH", all.disable_ssh);
  out.hardcode("NeedsCgroupV2", all.cgroup_v2);
  out.hardcode("OutboundCommand", all.outbound_command);
  out.hardcode("SysctlContent", base64_encode(kSysctls));
}

}  // namespace

BootstrapVariables::BootstrapVariables(const NodeKind& kind) {
  auto table = std::make_shared<VarTable>();
  add_defaults({*table});
  add_cluster({*table}, *kind.cluster);
  add_kind({*table}, kind);
  shared_ = std::move(table);
}

BootstrapVariables::BootstrapVariables(const BootstrapVariables& of_kind, const Resolution& node)
    : shared_(of_kind.shared_),
      flags_(Source::kComputed, "kubelet flags", node.kubelet_flags.joined(' ')),
      labels_(Source::kComputed, "node labels", node.labels.joined(',')) {}

}  // namespace sunup::fleet

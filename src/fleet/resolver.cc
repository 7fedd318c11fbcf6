#include "fleet/resolver.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/base64.h"
#include "fleet/bootstrap_script.h"
#include "fleet/cluster_id.h"
#include "fleet/gpu.h"
#include "fleet/kubelet_flags.h"
#include "fleet/node_labels.h"
#include "fleet/patterns.h"
#include "fleet/scriptless_containerd.h"
#include "fleet/tags.h"
#include "fleet/url.h"

namespace sunup::fleet {
namespace {

void warn(Findings& findings, std::string path, std::string_view rule, std::string message, std::string hint = "") {
  Finding finding;
  finding.severity = Severity::kWarning;
  finding.path = std::move(path);
  finding.rule = rule;
  finding.message = std::move(message);
  finding.hint = std::move(hint);
  findings.push_back(std::move(finding));
}

void offer_option(BootstrapVariables& variables, Var var, const Settings& settings, Option option) {
  const Value<std::string>& value = settings.at(option);
  if (value->empty()) return;
  variables.offer(var, value.origin().source, value.origin().where, *value);
}

// Cluster ID, network security group and route table hang together by their names.
void offer_network_names(BootstrapVariables& variables, const Settings& settings) {
  const Value<std::string>& given_id = settings.at(Option::kClusterId);
  const Value<std::string>& given_nsg = settings.at(Option::kNetworkSecurityGroup);
  Origin origin{Source::kComputed, "the host of cluster-endpoint"};
  std::string id = cluster_id_of_host(host_of(settings.text(Option::kClusterEndpoint)));
  if (!given_id->empty()) {
    id = *given_id;
    origin = given_id.origin();
  } else if (const auto from_nsg = cluster_id_from_nsg(*given_nsg)) {
    id = *from_nsg;
    origin = {Source::kComputed, "network-security-group"};
  }
  variables.offer(Var::kNetworkSecurityGroup, origin.source, origin.where, fmt::format("aks-agentpool-{}-nsg", id));
  variables.offer(Var::kRouteTable, origin.source, origin.where, fmt::format("aks-agentpool-{}-routetable", id));
  if (!given_nsg->empty())
    variables.offer(Var::kNetworkSecurityGroup, given_nsg.origin().source, given_nsg.origin().where, *given_nsg);
}

void offer_proxy_and_certificates(BootstrapVariables& variables, const Settings& settings) {
  offer_option(variables, Var::kHTTPProxyURLs, settings, Option::kHttpProxy);
  offer_option(variables, Var::kHTTPSProxyURLs, settings, Option::kHttpsProxy);
  offer_option(variables, Var::kNoProxyURLs, settings, Option::kNoProxy);
  offer_option(variables, Var::kHTTPProxyTrustedCA, settings, Option::kProxyTrustedCa);
  if (settings.given(Option::kHttpProxy) || settings.given(Option::kHttpsProxy))
    variables.offer(Var::kShouldConfigureHTTPProxy, Source::kComputed, "http-proxy or https-proxy is set", "true");
  if (settings.given(Option::kProxyTrustedCa))
    variables.offer(Var::kShouldConfigureHTTPProxyCA, Source::kComputed, "proxy-trusted-ca is set", "true");
  if (const auto certificates = settings.list(Option::kCustomCaCerts); !certificates.empty()) {
    std::string joined;
    for (const std::string& certificate : certificates)
      joined.append(joined.empty() ? "" : std::string(1, kItemSeparator)).append(certificate);
    const Origin origin = settings.at(Option::kCustomCaCerts).origin();
    variables.offer(Var::kCustomCATrustConfigCerts, origin.source, origin.where, joined);
    variables.offer(Var::kShouldConfigureCustomCATrust, Source::kComputed, "custom-ca-certs is set", "true");
  }
  if (settings.given(Option::kMessageOfTheDay)) {
    const Value<std::string>& message = settings.at(Option::kMessageOfTheDay);
    variables.offer(Var::kMessageOfTheDay, message.origin().source, message.origin().where, base64_encode(*message));
  }
}

BootstrapVariables cluster_variables(const Settings& settings, const Detected& detected) {
  BootstrapVariables variables;
  offer_option(variables, Var::kAdminUsername, settings, Option::kLinuxAdminUsername);
  offer_option(variables, Var::kTenantID, settings, Option::kTenantId);
  offer_option(variables, Var::kSubscriptionID, settings, Option::kSubscriptionId);
  offer_option(variables, Var::kResourceGroup, settings, Option::kNodeResourceGroup);
  offer_option(variables, Var::kLocation, settings, Option::kLocation);
  offer_option(variables, Var::kNetworkPolicy, settings, Option::kNetworkPolicy);
  offer_option(variables, Var::kUserAssignedIdentityID, settings, Option::kKubeletIdentityClientId);
  offer_option(variables, Var::kTLSBootstrapToken, settings, Option::kKubeletBootstrapToken);
  offer_network_names(variables, settings);

  const std::string& plugin = settings.text(Option::kNetworkPlugin);
  const bool none = settings.overlay() || settings.cilium_node_subnet() || settings.plugin_none();
  const std::string shown = plugin == "kubenet" ? "kubenet" : none ? "none" : "azure";
  variables.offer(Var::kNetworkPlugin, Source::kComputed, "network-plugin, its mode and the dataplane", shown);
  const bool bridge = shown == "kubenet" && settings.text(Option::kNetworkPolicy) != "calico";
  if (bridge) variables.offer(Var::kEnsureNoDupePromiscuousBridge, Source::kComputed, "kubenet without calico", "true");

  variables.offer(Var::kAPIServerName, Source::kComputed, "the host of cluster-endpoint",
                  host_of(settings.text(Option::kClusterEndpoint)));
  if (detected.ca_bundle) variables.offer(Var::kKubeCACrt, Source::kDetected, "the API server", *detected.ca_bundle);
  if (settings.given(Option::kCaBundle)) {
    const Value<std::string>& bundle = settings.at(Option::kCaBundle);
    const bool pem = bundle->find("-----BEGIN") != std::string::npos;
    variables.offer(Var::kKubeCACrt, bundle.origin().source, bundle.origin().where,
                    pem ? base64_encode(*bundle) : *bundle);
  }
  offer_proxy_and_certificates(variables, settings);
  return variables;
}

std::string credential_provider_url(uint64_t minor, std::string_view arch) {
  if (minor < 30) return "";
  const std::string_view version = minor == 30 ? "1.30.12" : minor == 31 ? "1.31.6" : minor == 32 ? "1.32.5" : "1.33.0";
  return fmt::format(
      "https://acs-mirror.azureedge.net/cloud-provider-azure/v{0}/binaries/"
      "azure-acr-credential-provider-linux-{1}-v{0}.tar.gz",
      version, arch);
}

void offer_downloads(BootstrapVariables& variables, const std::string& kubernetes_version, uint64_t minor,
                     const std::string& arch) {
  constexpr std::string_view kWhere = "the Kubernetes version and the architecture";
  if (minor < 34)  // from 1.34 on the archive is not published any more: images carry the binaries
    variables.offer(
        Var::kKubeBinaryURL, Source::kComputed, kWhere,
        fmt::format("https://acs-mirror.azureedge.net/kubernetes/v{}/binaries/kubernetes-node-linux-{}.tar.gz",
                    kubernetes_version, arch));
  if (std::string url = credential_provider_url(minor, arch); !url.empty())
    variables.offer(Var::kCredentialProviderDownloadURL, Source::kComputed, kWhere, std::move(url));
  variables.offer(
      Var::kVNETCNILinuxPluginsURL, Source::kComputed, "the architecture",
      fmt::format("https://acs-mirror.azureedge.net/azure-cni/v1.4.32/binaries/azure-vnet-cni-linux-{}-v1.4.32.tgz",
                  arch));
  variables.offer(
      Var::kCNIPluginsURL, Source::kComputed, "the architecture",
      fmt::format("https://acs-mirror.azureedge.net/cni-plugins/v1.1.1/binaries/cni-plugins-linux-{}-v1.1.1.tgz",
                  arch));
}

// True when the node gets NVIDIA's driver.
bool offer_gpu(BootstrapVariables& variables, const NodeClass& node_class, const InstanceType& type) {
  const GpuSize* gpu = find_gpu_size(type.name);
  if (gpu == nullptr || gpu->vendor != GpuVendor::kNvidia || !node_class.gpu_driver) return false;
  constexpr std::string_view kWhere = "the instance type's GPU";
  const GpuDriver driver = gpu_driver(type.name);
  variables.offer(Var::kGPUNode, Source::kComputed, kWhere, "true");
  variables.offer(Var::kConfigGPUDriverIfNeeded, Source::kComputed, kWhere, "true");
  variables.offer(Var::kGPUDriverVersion, Source::kComputed, kWhere, std::string(driver.version));
  variables.offer(Var::kGPUDriverType, Source::kComputed, kWhere, std::string(driver.type));
  variables.offer(Var::kGPUImageSHA, Source::kComputed, kWhere, std::string(driver.image_suffix));
  return true;
}

// Local DNS runs when it is required; "Preferred" waits for a Kubernetes version that does not exist yet.
bool local_dns_enabled(const NodeClass& node_class, const ImageFamily& family, Findings& warnings) {
  if (node_class.local_dns == LocalDnsMode::kDisabled) return false;
  if (node_class.local_dns == LocalDnsMode::kPreferred) {
    warn(warnings, "spec.localDNS.mode", "no-effect",
         "Preferred is off for every Kubernetes version that there is today", "use Required to have it on");
    return false;
  }
  if (!family.local_dns) {
    warn(warnings, "spec.localDNS.mode", "no-effect", fmt::format("{} images have no local DNS", family.name));
    return false;
  }
  return true;
}

// Settings that the first generation of images has no variable for.
void warn_of_uncarried(const NodeClass& node_class, Findings& warnings) {
  constexpr const char* kHint = "use --bootstrap nodeconfig, which carries it";
  const auto not_carried = [&](const char* path) {
    warn(warnings, path, "no-effect", "is accepted, but nodes in provision mode aksscriptless are never told", kHint);
  };
  if (node_class.linux_os_config) not_carried("spec.linuxOSConfig");
  if (node_class.local_dns == LocalDnsMode::kRequired) not_carried("spec.localDNS");
  if (node_class.artifact_streaming) not_carried("spec.artifactStreaming");
  if (!node_class.kubelet) return;
  if (node_class.kubelet->fail_swap_on) not_carried("spec.kubelet.failSwapOn");
  if (node_class.kubelet->cpu_cfs_quota_period && *node_class.kubelet->cpu_cfs_quota_period != "100ms")
    not_carried("spec.kubelet.cpuCFSQuotaPeriod");
}

}  // namespace

Resolver::Resolver(Settings settings, Detected detected, ImageProvider images)
    : settings_(std::move(settings)),
      detected_(std::move(detected)),
      images_(images),
      bootstrap_(settings_.text(Option::kProvisionMode) == "bootstrappingclient" ? Bootstrap::kNodeConfig
                                                                                 : Bootstrap::kScriptless),
      cluster_variables_(cluster_variables(settings_, detected_)) {}

Result<Value<std::string>> Resolver::kubernetes_version(const NodeClass& node_class) const {
  Value<std::string> version;
  if (detected_.kubernetes_version)
    version.offer(Source::kDetected, "the API server's /version", *detected_.kubernetes_version);
  if (node_class.status.kubernetes_version)
    version.offer(Source::kDetected, "node class status.kubernetesVersion", *node_class.status.kubernetes_version);
  if (settings_.given(Option::kKubernetesVersion)) {
    const Value<std::string>& given = settings_.at(Option::kKubernetesVersion);
    const std::string& text = *given;
    version.offer(given.origin().source, given.origin().where, text.starts_with('v') ? text.substr(1) : text);
  }
  if (!version.set())
    return Error("the Kubernetes version is not known")
        .with_hint("give --cluster URL to ask the API server, or set kubernetes-version in the settings");
  if (!Version::parse(*version)) return Error(fmt::format("'{}' is not a Kubernetes version", *version));
  return version;
}

Result<Resolution> Resolver::resolve(const Request& request) const {
  const NodeClass& node_class = *request.node_class;
  const NodeClaim& claim = *request.claim;
  const InstanceType& type = *request.instance_type;
  const std::string& mode = settings_.text(Option::kProvisionMode);
  if (mode == "aksmachineapi" || mode == "aksmachineapiheaderbatch")
    return Error(
        fmt::format("provision-mode {}: AKS makes the launch template itself there; nothing to resolve", mode));

  Resolution out;
  auto version = kubernetes_version(node_class);
  if (!version) return std::move(version).error();
  out.kubernetes_version = *std::move(version);
  const Version kubernetes = *Version::parse(*out.kubernetes_version);

  out.claim = claim.name;
  out.vm_name = "aks-" + claim.name;
  out.pool = claim.pool;
  out.node_class = node_class.name;
  out.node_class_hash = node_class.hash;
  out.instance_type = type;
  out.capacity_type = capacity_type(claim);
  out.bootstrap = bootstrap_;
  out.from_class = &node_class;
  out.identities = settings_.list(Option::kNodeIdentities);

  const ImageQuery image_query{&node_class, &type, *out.kubernetes_version, settings_.flag(Option::kUseSig),
                               settings_.text(Option::kSigSubscriptionId)};
  auto image = images_.select(image_query);
  if (!image) return std::move(image).error();
  out.image = *std::move(image);

  const Value<std::string>& default_subnet = settings_.at(Option::kVnetSubnetId);
  out.subnet_id.offer(default_subnet.origin().source, default_subnet.origin().where, *default_subnet);
  if (node_class.vnet_subnet_id)
    out.subnet_id.offer(Source::kNodeClass, "spec.vnetSubnetID", *node_class.vnet_subnet_id);
  const auto subnet = parse_subnet_id(*out.subnet_id);
  if (!subnet) return Error(fmt::format("'{}' is not the ID of a subnet", *out.subnet_id));

  out.os_disk_size = Value<std::string>(Source::kHardcoded, "the node class's default", "128");
  if (node_class.written.contains("osDiskSizeGB"))
    out.os_disk_size.offer(Source::kNodeClass, "spec.osDiskSizeGB", std::to_string(node_class.os_disk_size_gb));
  const EphemeralDisk ephemeral = ephemeral_disk(type);
  out.os_disk = {node_class.os_disk_size_gb, ephemeral.size_gb >= node_class.os_disk_size_gb && ephemeral.size_gb > 0,
                 ""};
  if (out.os_disk.ephemeral) out.os_disk.placement = ephemeral.placement;

  const bool carries_all = bootstrap_ == Bootstrap::kNodeConfig;
  if (!carries_all) warn_of_uncarried(node_class, out.warnings);
  out.local_dns = local_dns_enabled(node_class, *out.image.family, out.warnings) && carries_all;
  out.artifact_streaming = node_class.artifact_streaming && type.arch != "arm64" && carries_all;
  if (node_class.artifact_streaming && type.arch == "arm64")
    warn(out.warnings, "spec.artifactStreaming", "no-effect", "artifact streaming does not run on arm64");

  if (detected_.dns_service_ip)
    out.cluster_dns.offer(Source::kDetected, "service kube-system/kube-dns", *detected_.dns_service_ip);
  if (settings_.given(Option::kDnsServiceIp)) {
    const Value<std::string>& given = settings_.at(Option::kDnsServiceIp);
    out.cluster_dns.offer(given.origin().source, given.origin().where, *given);
  }
  if (!out.cluster_dns.set()) {
    out.cluster_dns = Value<std::string>(Source::kHardcoded, "AKS default", "10.0.0.10");
    warn(out.warnings, "dns-service-ip", "assumed", "the cluster's DNS address is not known; 10.0.0.10 is assumed",
         "set dns-service-ip, or give --cluster URL to ask for it");
  }
  if (settings_.overlay() && !settings_.given(Option::kVnetGuid))
    warn(out.warnings, "vnet-guid", "missing", "nodes get no label nodenetwork-vnetguid", "set vnet-guid");

  const FlagInputs flag_inputs{&settings_, request.pool, &node_class,     &claim,
                               &type,      kubernetes,   out.cluster_dns, carries_all};
  out.kubelet_flags = kubelet_flags(flag_inputs);
  const LabelInputs label_inputs{
      &settings_,     request.pool,  &node_class,           &claim, &type, out.image.family, *out.kubernetes_version,
      subnet->subnet, out.local_dns, out.artifact_streaming};
  out.labels = node_labels(label_inputs, out.warnings);
  out.tags = node_tags(settings_, node_class, claim.pool);

  BootstrapVariables& variables = out.variables;
  variables = cluster_variables_;
  const Origin version_origin = out.kubernetes_version.origin();
  variables.offer(Var::kKubernetesVersion, version_origin.source, version_origin.where, *out.kubernetes_version);
  offer_downloads(variables, *out.kubernetes_version, kubernetes.minor, type.arch);
  variables.offer(Var::kSubnet, Source::kComputed, "the subnet ID", subnet->subnet);
  variables.offer(Var::kVirtualNetwork, Source::kComputed, "the subnet ID", subnet->vnet);
  variables.offer(Var::kVirtualNetworkResourceGroup, Source::kComputed, "the subnet ID", subnet->resource_group);
  const bool nvidia = offer_gpu(variables, node_class, type);
  const bool bridge = variables.text(Var::kEnsureNoDupePromiscuousBridge) == "true";
  variables.offer(Var::kContainerdConfigContent, Source::kComputed, "GPU and network plugin",
                  base64_encode(scriptless_containerd_config({nvidia, bridge})));
  variables.offer(Var::kKubeletFlags, Source::kComputed, "kubelet flags", out.kubelet_flags.joined(' '));
  variables.offer(Var::kKubeletNodeLabels, Source::kComputed, "node labels", out.labels.joined(','));
  return out;
}

Result<const InstanceType*> Resolver::choose(const Request& request, const std::vector<InstanceType>& types) const {
  std::string reasons;
  const auto refuse = [&reasons](const InstanceType& type, std::string_view why) {
    reasons += fmt::format("{}{} {}", reasons.empty() ? "" : "; ", type.name, why);
  };
  for (const InstanceType& type : types) {
    if (const std::string why = why_excluded(type); !why.empty()) {
      refuse(type, why);
      continue;
    }
    const auto labels = instance_type_labels(type, settings_.text(Option::kLocation));
    const Requirement* broken = nullptr;
    for (const Requirement& requirement : request.claim->requirements) {
      const auto it = labels.find(requirement.key);
      const bool sku = requirement.key.starts_with("karpenter.azure.com/sku-") ||
                       requirement.key.starts_with("kubernetes.azure.com/sku-");
      // Zones, capacity and the user's own labels are not the size's to decide.
      if (it == labels.end() && !sku) continue;
      if (!requirement.allows(it == labels.end() ? std::nullopt : std::optional(it->second))) broken = &requirement;
    }
    if (broken != nullptr) {
      refuse(type, fmt::format("does not meet the requirement on {}", broken->key));
      continue;
    }
    const GpuSize* gpu = find_gpu_size(type.name);
    if (gpu != nullptr && request.node_class->gpu_driver && gpu->vendor == GpuVendor::kAmd) {
      refuse(type, "has an AMD GPU, for which there is no driver (gpu.mode None allows it)");
      continue;
    }
    if (request.node_class->encryption_at_host && !type.encryption_at_host) {
      refuse(type, "cannot encrypt at host");
      continue;
    }
    if (request.node_class->artifact_streaming && type.arch == "arm64") {
      refuse(type, "is arm64, where artifact streaming does not run");
      continue;
    }
    if (request.node_class->local_dns == LocalDnsMode::kRequired && (type.cpus < 4 || type.memory_gib < 0.25)) {
      refuse(type, "is too small for local DNS, which needs 4 vCPUs");
      continue;
    }
    return &type;
  }
  return Error(fmt::format("no instance type fits claim {}: {}", request.claim->name,
                           reasons.empty() ? "none is given" : reasons))
      .with_hint("give --instance-type, or name one known size in requirement node.kubernetes.io/instance-type");
}

}  // namespace sunup::fleet

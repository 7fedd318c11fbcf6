#include "fleet/resolver.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "base/base64.h"
#include "fleet/bootstrapper.h"
#include "fleet/class_subnet.h"
#include "fleet/cluster_variables.h"
#include "fleet/cluster_version.h"
#include "fleet/flag_limits.h"
#include "fleet/gpu.h"
#include "fleet/history.h"
#include "fleet/kubelet_flags.h"
#include "fleet/label_conflicts.h"
#include "fleet/node_config_check.h"
#include "fleet/node_findings.h"
#include "fleet/node_labels.h"
#include "fleet/node_reserve.h"
#include "fleet/patterns.h"
#include "fleet/placement.h"
#include "fleet/scriptless_containerd.h"
#include "fleet/tags.h"
#include "render/gpu_driver.h"

namespace sunup::fleet {
namespace {

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
  if (render::needs_fabric_manager(gpu->size))
    variables.offer(Var::kGPUNeedsFabricManager, Source::kComputed, kWhere, "true");
  return true;
}

// One of four texts; a batch asks for the same one again and again.
const std::string& containerd_content(bool nvidia, bool bridge) {
  static const std::array<std::string, 4> kContents = [] {
    std::array<std::string, 4> contents;
    for (size_t i = 0; i < contents.size(); ++i)
      contents[i] = base64_encode(scriptless_containerd_config({(i & 1) != 0, (i & 2) != 0}));
    return contents;
  }();
  return kContents[(nvidia ? 1u : 0u) + (bridge ? 2u : 0u)];
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

// Everything else that was decided about the node, held against what claim and pool ask for.
std::optional<Error> check_decisions(const Resolution& node, const Constraints& constraints, const Settings& settings,
                                     const NodeClass& node_class) {
  const auto decided = [&](std::string_view key, std::optional<std::string> value) {
    return contradiction(constraints, key, value);
  };
  constexpr std::string_view kFips = "kubernetes.azure.com/fips_enabled";
  if (settings.given(Option::kLocation))
    if (auto error = decided(kRegionLabel, settings.text(Option::kLocation))) return error;
  if (auto error = decided("kubernetes.azure.com/os-sku", std::string(node.image.family->os_sku))) return error;
  if (auto error =
          decided("kubernetes.azure.com/cluster", resource_group_label(settings.text(Option::kNodeResourceGroup))))
    return error;
  const bool cilium = settings.text(Option::kNetworkDataplane) == "cilium";
  if (auto error =
          decided("kubernetes.azure.com/ebpf-dataplane", cilium ? std::optional<std::string>("cilium") : std::nullopt))
    return error;
  if (auto error = decided("karpenter.azure.com/aksnodeclass", node_class.name)) return error;
  if (!node.pool.empty())
    if (auto error = decided("karpenter.sh/nodepool", node.pool)) return error;
  // Off is said by "false" or by no label at all.
  if (auto error = decided(kFips, node_class.fips ? std::optional<std::string>("true") : std::nullopt))
    if (node_class.fips || decided(kFips, "false")) return error;
  for (const Constraint& constraint : constraints.all())
    if (const std::string* label = node.labels.find(constraint.requirement->key))
      if (auto error = decided(constraint.requirement->key, *label)) return error;
  return std::nullopt;
}

Bootstrap bootstrap_of(std::string_view provision_mode) {
  return provision_mode == "bootstrappingclient" ? Bootstrap::kNodeConfig : Bootstrap::kScriptless;
}

}  // namespace

Resolver::Resolver(Settings settings, Detected detected, ImageProvider images)
    : settings_(std::move(settings)),
      detected_(std::move(detected)),
      images_(images),
      bootstrap_(bootstrap_of(settings_.text(Option::kProvisionMode))),
      cluster_variables_(cluster_variables(settings_, detected_)),
      identities_(settings_.list(Option::kNodeIdentities)) {
  offer_history(bootstrap_name_, settings_.at(Option::kProvisionMode),
                [](const std::string& mode) { return std::string(bootstrapper(bootstrap_of(mode)).name()); });
}

void Resolver::set_bootstrap(Bootstrap bootstrap, std::string_view where) {
  bootstrap_ = bootstrap;
  bootstrap_name_.offer(Source::kSettings, where, std::string(bootstrapper(bootstrap).name()));
}

ImageQuery Resolver::image_query(const NodeClass& node_class, const InstanceType& type,
                                 std::string_view version) const {
  return {&node_class,
          &type,
          version,
          settings_.flag(Option::kUseSig),
          settings_.text(Option::kSigSubscriptionId),
          status_is_behind(detected_, node_class)};
}

std::string Resolver::why_no_image(const NodeClass& node_class, const InstanceType& type) const {
  const auto version = node_kubernetes_version(settings_, detected_, node_class);
  return version ? images_.why_none_fits(image_query(node_class, type, **version)) : "";
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
  auto version = node_kubernetes_version(settings_, detected_, node_class);
  if (!version) return std::move(version).error();
  out.kubernetes_version = *std::move(version);
  const Version kubernetes = *Version::parse(*out.kubernetes_version);
  warn_of_outdated_status(detected_, node_class, out.warnings);

  out.claim = claim.name;
  out.vm_name = vm_name(claim.name);
  out.pool = claim.pool;
  out.node_class = node_class.name;
  out.node_class_hash = node_class.hash;
  if (request.pool != nullptr) out.node_pool_hash = request.pool->hash;
  out.instance_type = &type;
  out.bootstrap = bootstrap_;
  out.bootstrap_name = bootstrap_name_;
  out.from_class = &node_class;
  out.from_pool = request.pool;
  out.identities = identities_;
  out.settings = &settings_;
  out.disk_encryption_set = settings_.at(Option::kDiskEncryptionSetId);

  const auto about_claim = [&claim](Error error) { return std::move(error).in(fmt::format("claim {}", claim.name)); };
  if (!fits_vm_name(claim.name))
    return about_claim(
        Error(fmt::format("metadata.name: has {} characters; with aks- before it, it must be the name "
                          "of a computer, which has at most 63",
                          claim.name.size())));
  const Constraints constraints(claim, request.pool);
  auto capacity = choose_capacity_type(constraints);
  if (!capacity) return about_claim(std::move(capacity).error());
  out.capacity_type = *std::move(capacity);
  auto zone = choose_placement(constraints, settings_.text(Option::kLocation), type);
  if (!zone) return about_claim(std::move(zone).error());
  out.zone = *std::move(zone);
  if (const Constraint* unmet = constraints.unheeded(kZoneLabel); unmet != nullptr && out.zone.value.empty())
    warn(out.warnings, describe(*unmet->requirement), "no-effect", "names no zone to take; the VM is made without one",
         "list the zones with operator In");
  const Constraint* sizes = constraints.listing(kInstanceTypeLabel);
  if (sizes == nullptr) sizes = constraints.listing(kSkuNameLabel);
  out.size_origin = sizes != nullptr ? sizes->origin : Origin{Source::kInstanceType, "the first given that fits"};

  auto image = images_.select(image_query(node_class, type, *out.kubernetes_version));
  if (!image) return std::move(image).error();
  out.image = *std::move(image);

  if (auto error = refuse_class_subnet(node_class, settings_)) return *std::move(error);
  offer_history(out.subnet_id, settings_.at(Option::kVnetSubnetId));
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

  if (!node_class.status.ready)
    warn(out.warnings, fmt::format("node class {} status.conditions", node_class.name), "not-ready",
         "the class is not Ready; a controller makes no nodes of it before it is");

  const bool carries_all = bootstrap_ == Bootstrap::kNodeConfig;
  if (!carries_all) warn_of_uncarried(node_class, out.warnings);
  if (carries_all) warn_of_unnamed_policy(settings_.text(Option::kNetworkPolicy), out.warnings);
  if (!node_class.gpu_driver && find_gpu_size(type.name) == nullptr)
    note(out.warnings, "spec.gpu.mode", "no-effect", fmt::format("None changes nothing: {} has no GPU", type.name));
  out.local_dns = local_dns_enabled(node_class, *out.image.family, out.warnings) && carries_all;
  out.artifact_streaming = node_class.artifact_streaming && type.arch != "arm64" && carries_all;
  if (node_class.artifact_streaming && type.arch == "arm64")
    warn(out.warnings, "spec.artifactStreaming", "no-effect", "artifact streaming does not run on arm64");

  if (detected_.dns_service_ip)
    out.cluster_dns.offer(Source::kDetected, "service kube-system/kube-dns", *detected_.dns_service_ip);
  if (settings_.given(Option::kDnsServiceIp)) offer_history(out.cluster_dns, settings_.at(Option::kDnsServiceIp));
  if (!out.cluster_dns.set()) {
    out.cluster_dns = Value<std::string>(Source::kHardcoded, "AKS default", "10.0.0.10");
    warn(out.warnings, "dns-service-ip", "assumed", "the cluster's DNS address is not known; 10.0.0.10 is assumed",
         detected_.kubernetes_version ? "set dns-service-ip"
                                      : "set dns-service-ip, or give --cluster URL to ask for it");
  }
  if (cluster_variables_.text(Var::kKubeCACrt).empty())
    warn(out.warnings, "ca-bundle", "missing", "nodes cannot check the API server, and will not join",
         detected_.kubernetes_version ? "set ca-bundle" : "set ca-bundle, or give --cluster URL to ask for it");
  if (!settings_.given(Option::kLocation))
    warn(out.warnings, "location", "missing", "Azure makes no VM without a location", "set location");
  if (settings_.overlay() && !settings_.given(Option::kVnetGuid))
    warn(out.warnings, "vnet-guid", "missing", "nodes get no label nodenetwork-vnetguid", "set vnet-guid");

  const FlagInputs flag_inputs{&settings_, request.pool, &node_class,     &claim,
                               &type,      kubernetes,   out.cluster_dns, carries_all};
  if (auto error = refuse_rival_taints(claim)) return about_claim(*std::move(error));
  out.kubelet_flags = kubelet_flags(flag_inputs);
  if (auto error = refuse_spaced_flags(out.kubelet_flags)) return about_claim(*std::move(error));
  if (auto error = refuse_impossible_flags(out.kubelet_flags)) return about_claim(*std::move(error));
  if (auto error = refuse_over_reserved({&settings_, request.pool, &node_class}, type))
    return about_claim(*std::move(error));
  const LabelInputs label_inputs{&settings_,
                                 request.pool,
                                 &node_class,
                                 &claim,
                                 &type,
                                 out.image.family,
                                 *out.kubernetes_version,
                                 subnet->subnet,
                                 &out.capacity_type,
                                 &out.zone,
                                 out.local_dns,
                                 out.artifact_streaming};
  out.labels = node_labels(label_inputs, out.warnings);
  if (auto error = check_decisions(out, constraints, settings_, node_class)) return about_claim(*std::move(error));
  if (auto error = refuse_label_conflict(claim, request.pool)) return about_claim(*std::move(error));
  out.tags = node_tags(settings_, node_class, claim.pool, out.warnings);
  if (out.tags.items().size() > kMaxTags)
    return about_claim(
        Error(fmt::format("the VM would have {} tags; Azure takes at most {}", out.tags.items().size(), kMaxTags))
            .with_hint("leave some out of spec.tags of the node class or of additional-tags"));

  BootstrapVariables& variables = out.variables;
  variables = cluster_variables_;
  offer_history(variables.at(Var::kKubernetesVersion), out.kubernetes_version);
  offer_downloads(variables, *out.kubernetes_version, kubernetes.minor, type.arch);
  variables.offer(Var::kSubnet, Source::kComputed, "the subnet ID", subnet->subnet);
  variables.offer(Var::kVirtualNetwork, Source::kComputed, "the subnet ID", subnet->vnet);
  variables.offer(Var::kVirtualNetworkResourceGroup, Source::kComputed, "the subnet ID", subnet->resource_group);
  const bool nvidia = offer_gpu(variables, node_class, type);
  const bool bridge = variables.text(Var::kEnsureNoDupePromiscuousBridge) == "true";
  variables.offer(Var::kContainerdConfigContent, Source::kComputed, "GPU and network plugin",
                  containerd_content(nvidia, bridge));
  variables.offer(Var::kKubeletFlags, Source::kComputed, "kubelet flags", out.kubelet_flags.joined(' '));
  variables.offer(Var::kKubeletNodeLabels, Source::kComputed, "node labels", out.labels.joined(','));
  if (bootstrap_ == Bootstrap::kNodeConfig)
    if (auto error = refuse_node_config(out, out.warnings)) return about_claim(*std::move(error));
  return out;
}

}  // namespace sunup::fleet

#include "fleet/resolve/resolver.h"

#include <fmt/format.h>

#include "fleet/resolve/kubelet_flags.h"
#include "fleet/resolve/node_findings.h"
#include "fleet/resolve/node_labels.h"
#include "fleet/resolve/node_reserve.h"
#include "fleet/resolve/tags.h"
#include "fleet/sources/class_subnet.h"
#include "fleet/sources/cluster_version.h"
#include "fleet/sources/label_conflicts.h"

namespace sunup::fleet {
namespace {

Bootstrap bootstrap_of(std::string_view provision_mode) {
  return provision_mode == "bootstrappingclient" ? Bootstrap::kNodeConfig : Bootstrap::kScriptless;
}

// To be shared by all nodes of the kind.
ValueMap shared(ValueMap values) {
  return ValueMap(std::make_shared<const ValueMap>(std::move(values)));
}

std::optional<GpuDriverImage> driver_for(const NodeClass& node_class, const InstanceType& type) {
  const auto gpu = find_gpu_size(type.name);
  if (!gpu || gpu->vendor != GpuVendor::kNvidia || !node_class.gpu_driver) return std::nullopt;
  return gpu_driver(type.name);
}

// The first decision that a constraint of claim and pool does not allow, so a node never has a label that does not
// apply. Size, zone and capacity type are not compared, because they were chosen by the constraints.
std::optional<Error> refuse_decisions(const Resolution& node, const Constraints& constraints) {
  const Settings& settings = *node.kind->settings;
  const NodeClass& node_class = *node.kind->from_class;
  const auto decided = [&](std::string_view key, const std::optional<std::string>& value) {
    return contradiction(constraints, key, value);
  };
  constexpr std::string_view kFips = "kubernetes.azure.com/fips_enabled";
  if (settings.given(Option::kLocation))
    if (auto error = decided(kRegionLabel, settings.text(Option::kLocation))) return error;
  if (auto error = decided("kubernetes.azure.com/os-sku", std::string(node.kind->image.family->os_sku))) return error;
  if (auto error =
          decided("kubernetes.azure.com/cluster", resource_group_label(settings.text(Option::kNodeResourceGroup))))
    return error;
  const bool cilium = settings.text(Option::kNetworkDataplane) == "cilium";
  if (auto error =
          decided("kubernetes.azure.com/ebpf-dataplane", cilium ? std::optional<std::string>("cilium") : std::nullopt))
    return error;
  if (auto error = decided("karpenter.azure.com/aksnodeclass", node_class.name)) return error;
  if (!node.kind->pool.empty())
    if (auto error = decided("karpenter.sh/nodepool", node.kind->pool)) return error;
  // "false" and no label at all both mean that it is off.
  if (auto error = decided(kFips, node_class.fips ? std::optional<std::string>("true") : std::nullopt))
    if (node_class.fips || decided(kFips, "false")) return error;
  for (const Constraint& constraint : constraints.all())
    if (const std::string* label = node.labels.find(constraint.requirement->key))
      if (auto error = decided(constraint.requirement->key, *label)) return error;
  return std::nullopt;
}

}  // namespace

Resolver::Resolver(Settings settings, Detected detected, ImageProvider images, KindCheck check)
    : settings_(std::move(settings)),
      detected_(std::move(detected)),
      images_(images),
      check_(check),
      bootstrap_(bootstrap_of(settings_.text(Option::kProvisionMode))),
      cluster_(decide_cluster(settings_, detected_)),
      identities_(settings_.list(Option::kNodeIdentities)) {
  offer_history(bootstrap_name_, settings_.at(Option::kProvisionMode),
                [](const std::string& mode) { return std::string(bootstrap_name(bootstrap_of(mode))); });
}

void Resolver::set_bootstrap(Bootstrap bootstrap, std::string_view where) {
  bootstrap_ = bootstrap;
  bootstrap_name_.offer(Source::kSettings, where, std::string(bootstrap_name(bootstrap)));
}

ImageQuery Resolver::image_query(const NodeClass& node_class, const InstanceType& type,
                                 std::string_view version) const {
  return {&node_class,
          &type,
          version,
          settings_.flag(Option::kUseSig),
          settings_.text(Option::kSigSubscriptionId),
          status_is_behind(settings_, detected_, node_class)};
}

std::string Resolver::why_no_image(const NodeClass& node_class, const InstanceType& type) const {
  const auto version = node_kubernetes_version(settings_, detected_, node_class);
  return version ? images_.why_none_fits(image_query(node_class, type, **version)) : "";
}

void Resolver::decide_network_and_disk(NodeKind& kind) const {
  const NodeClass& node_class = *kind.from_class;
  kind.disk_encryption_set = settings_.at(Option::kDiskEncryptionSetId);
  kind.os_disk_size = Value<std::string>(Source::kHardcoded, "the node class's default", "128");
  if (node_class.written.contains("osDiskSizeGB"))
    kind.os_disk_size.offer(Source::kNodeClass, "spec.osDiskSizeGB", std::to_string(node_class.os_disk_size_gb));
  const EphemeralDisk ephemeral = ephemeral_disk(*kind.instance_type);
  const bool local = ephemeral.size_gb >= node_class.os_disk_size_gb && ephemeral.size_gb > 0;
  kind.os_disk = {node_class.os_disk_size_gb, local && !node_class.managed_os_disk, ""};
  if (kind.os_disk.ephemeral) kind.os_disk.placement = ephemeral.placement;

  if (detected_.dns_service_ip)
    kind.cluster_dns.offer(Source::kDetected, "service kube-system/kube-dns", *detected_.dns_service_ip);
  if (settings_.given(Option::kDnsServiceIp)) offer_history(kind.cluster_dns, settings_.at(Option::kDnsServiceIp));
  if (!kind.cluster_dns.set()) kind.cluster_dns = Value<std::string>(Source::kHardcoded, "AKS default", "10.0.0.10");
}

std::optional<Error> Resolver::decide_flags(NodeKind& kind) const {
  ValueMap flags = kubelet_flags(kind);
  if (auto error = refuse_spaced_flags(flags)) return error;
  if (auto error = refuse_impossible_flags(flags)) return error;
  if (auto error = refuse_over_reserved({&settings_, kind.from_pool, kind.from_class}, *kind.instance_type))
    return error;
  kind.kubelet_flags = shared(std::move(flags));
  return std::nullopt;
}

std::optional<Error> Resolver::decide_labels_and_tags(NodeKind& kind) const {
  ValueMap labels = kind_labels(kind);
  kind.unfit_labels = unfit_labels(labels);
  kind.labels = shared(std::move(labels));
  ValueMap tags = node_tags(settings_, *kind.from_class, kind.pool, kind.findings);
  if (tags.size() > kMaxTags)
    return Error(fmt::format("the VM would have {} tags; Azure allows at most {}", tags.size(), kMaxTags))
        .with_hint("leave some out of spec.tags of the node class or of additional-tags");
  kind.tags = shared(std::move(tags));
  return std::nullopt;
}

Result<std::shared_ptr<const NodeKind>> Resolver::kind(const Request& request) const {
  const NodeClass& node_class = *request.node_class;
  const InstanceType& type = *request.instance_type;
  const std::string& mode = settings_.text(Option::kProvisionMode);
  if (mode == "aksmachineapi" || mode == "aksmachineapiheaderbatch")
    return Error(fmt::format("provision-mode {}: AKS creates the launch template itself; nothing to resolve", mode));

  auto kind = std::make_shared<NodeKind>();
  auto version = node_kubernetes_version(settings_, detected_, node_class);
  if (!version) return std::move(version).error();
  kind->kubernetes_version = *std::move(version);
  warn_of_outdated_status(settings_, detected_, node_class, kind->findings);
  kind->pool = request.claim->pool;
  kind->node_class = node_class.name;
  kind->node_class_hash = node_class.hash;
  if (request.pool != nullptr) kind->node_pool_hash = request.pool->hash;
  kind->instance_type = &type;
  kind->from_class = &node_class;
  kind->from_pool = request.pool;
  kind->settings = &settings_;
  kind->cluster = &cluster_;
  kind->bootstrap = bootstrap_;
  kind->bootstrap_name = bootstrap_name_;
  kind->identities = identities_;

  auto image = images_.select(image_query(node_class, type, *kind->kubernetes_version));
  if (!image) return std::move(image).error();
  kind->image = *std::move(image);
  if (bootstrap_ == Bootstrap::kScriptless && !kind->image.family->runs_scripts)
    return Error(fmt::format("{} images do not run a script from custom data", kind->image.family->name))
        .with_hint("use --bootstrap nodeconfig, or provision-mode bootstrappingclient");
  kind->downloads = downloads(*kind->kubernetes_version, type.arch);
  kind->gpu_driver = driver_for(node_class, type);

  if (auto error = refuse_class_subnet(node_class, settings_)) return *std::move(error);
  offer_history(kind->subnet_id, settings_.at(Option::kVnetSubnetId));
  if (node_class.vnet_subnet_id)
    kind->subnet_id.offer(Source::kNodeClass, "spec.vnetSubnetID", *node_class.vnet_subnet_id);
  auto subnet = parse_subnet_id(*kind->subnet_id);
  if (!subnet) return Error(fmt::format("'{}' is not the ID of a subnet", *kind->subnet_id));
  kind->subnet = *std::move(subnet);
  decide_network_and_disk(*kind);

  warn_of_kind(*kind, detected_);
  const bool carries_all = bootstrap_ == Bootstrap::kNodeConfig;
  kind->local_dns = local_dns_enabled(node_class, *kind->image.family, kind->findings) && carries_all;
  kind->artifact_streaming = node_class.artifact_streaming && type.arch != "arm64" && carries_all;
  if (auto error = decide_flags(*kind)) return *std::move(error);
  if (auto error = decide_labels_and_tags(*kind)) return *std::move(error);
  if (check_ != nullptr)
    if (auto error = check_(*kind, kind->findings)) return *std::move(error);
  return std::shared_ptr<const NodeKind>(std::move(kind));
}

Result<Resolution> Resolver::resolve(const Request& request) const {
  auto made = kind(request);
  if (!made) return std::move(made).error();
  return resolve(request, *std::move(made));
}

Result<Resolution> Resolver::resolve(const Request& request, std::shared_ptr<const NodeKind> kind) const {
  const NodeClaim& claim = *request.claim;
  const auto about_claim = [&claim](Error error) { return std::move(error).in(fmt::format("claim {}", claim.name)); };
  if (!fits_vm_name(claim.name))
    return about_claim(Error(fmt::format(
        "metadata.name: has {} characters; with the prefix aks- it becomes a computer name, which has at most 63",
        claim.name.size())));

  Resolution out;
  out.claim = claim.name;
  out.vm_name = vm_name(claim.name);
  out.kubelet_flags = kind->kubelet_flags;
  out.labels = kind->labels;
  out.warnings = kind->findings;
  out.kind = std::move(kind);

  const Constraints constraints(claim, request.pool);
  auto capacity = choose_capacity_type(constraints);
  if (!capacity) return about_claim(std::move(capacity).error());
  out.capacity_type = *std::move(capacity);
  auto zone = choose_placement(constraints, settings_.text(Option::kLocation), *request.instance_type);
  if (!zone) return about_claim(std::move(zone).error());
  out.zone = *std::move(zone);
  if (const Constraint* unmet = constraints.unheeded(kZoneLabel); unmet != nullptr && out.zone.value.empty())
    warn(out.warnings, describe(*unmet->requirement), "no-effect",
         "names no usable zone; the VM is created without one", "list the zones with operator In");
  const Constraint* sizes = constraints.listing(kInstanceTypeLabel);
  if (sizes == nullptr) sizes = constraints.listing(kSkuNameLabel);
  out.size_origin = sizes != nullptr ? sizes->origin : Origin{Source::kInstanceType, "the first given that fits"};

  if (auto error = refuse_rival_taints(claim)) return about_claim(*std::move(error));
  out.kubelet_flags.offer("--register-with-taints", Source::kComputed, "taints and startupTaints",
                          register_with_taints(claim));
  if (auto error = refuse_spaced_flags(out.kubelet_flags)) return about_claim(*std::move(error));
  offer_claim_labels(out.labels, {&claim, request.pool, &out.capacity_type, &out.zone});
  drop_unfit_labels(out.labels, out.kind->unfit_labels, out.warnings);
  if (auto error = refuse_decisions(out, constraints)) return about_claim(*std::move(error));
  if (auto error = refuse_label_conflict(claim, request.pool)) return about_claim(*std::move(error));
  return out;
}

}  // namespace sunup::fleet

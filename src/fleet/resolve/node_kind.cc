#include "fleet/resolve/node_kind.h"

#include <fmt/format.h>

#include <optional>

#include "fleet/resolve/flag_limits.h"
#include "fleet/resolve/kind_variables.h"
#include "fleet/resolve/kubelet_flags.h"
#include "fleet/resolve/launch_template.h"
#include "fleet/resolve/node_config_check.h"
#include "fleet/resolve/node_labels.h"
#include "fleet/resolve/node_reserve.h"
#include "fleet/resolve/resolver.h"
#include "fleet/resolve/tags.h"
#include "fleet/sources/class_subnet.h"
#include "fleet/sources/cluster_version.h"
#include "fleet/sources/gpu.h"
#include "fleet/sources/history.h"
#include "fleet/sources/node_findings.h"
#include "fleet/sources/patterns.h"

namespace sunup::fleet {
namespace {

// Local DNS runs when it is required; "Preferred" waits for a Kubernetes version that does not exist yet.
bool local_dns_enabled(const NodeClass& node_class, const ImageFamily& family, Findings& warnings) {
  if (node_class.local_dns == LocalDnsMode::kDisabled) return false;
  if (node_class.local_dns == LocalDnsMode::kPreferred) {
    warn(warnings, "spec.localDNS.mode", "no-effect", "Preferred means off for all current Kubernetes versions",
         "use Required to enable it");
    return false;
  }
  if (!family.local_dns) {
    warn(warnings, "spec.localDNS.mode", "no-effect", fmt::format("{} images have no local DNS", family.name));
    return false;
  }
  return true;
}

// To be shared by all nodes of the kind.
ValueMap shared(ValueMap values) {
  return ValueMap(std::make_shared<const ValueMap>(std::move(values)));
}

}  // namespace

void Resolver::warn_of_kind(Resolution& node) const {
  const NodeClass& node_class = *node.from_class;
  if (!node_class.status.ready)
    warn(node.warnings, fmt::format("node class {} status.conditions", node_class.name), "not-ready",
         "the class is not Ready; a controller does not create nodes from it until it is");
  if (bootstrap_ == Bootstrap::kNodeConfig)
    warn_of_unnamed_policy(settings_.text(Option::kNetworkPolicy), node.warnings);
  else
    warn_of_uncarried(node_class, node.warnings);
  if (!node_class.gpu_driver && find_gpu_size(node.instance_type->name) == nullptr)
    note(node.warnings, "spec.gpu.mode", "no-effect",
         fmt::format("None has no effect: {} has no GPU", node.instance_type->name));
  if (node_class.artifact_streaming && node.instance_type->arch == "arm64")
    warn(node.warnings, "spec.artifactStreaming", "no-effect", "artifact streaming is not supported on arm64");
  if (node.cluster_dns.origin().source == Source::kHardcoded)
    warn(node.warnings, "dns-service-ip", "assumed", "the cluster's DNS address is unknown; 10.0.0.10 is assumed",
         detected_.kubernetes_version ? "set dns-service-ip" : "set dns-service-ip, or give --cluster URL to query it");
  if (cluster_variables_.text(Var::kKubeCACrt).empty())
    warn(node.warnings, "ca-bundle", "missing", "nodes cannot verify the API server and will not join",
         detected_.kubernetes_version ? "set ca-bundle" : "set ca-bundle, or give --cluster URL to query it");
  if (!settings_.given(Option::kLocation))
    warn(node.warnings, "location", "missing", "Azure does not create a VM without a location", "set location");
  if (settings_.overlay() && !settings_.given(Option::kVnetGuid))
    warn(node.warnings, "vnet-guid", "missing", "nodes do not get the label nodenetwork-vnetguid", "set vnet-guid");
}

Result<std::shared_ptr<const NodeKind>> Resolver::kind(const Request& request) const {
  const NodeClass& node_class = *request.node_class;
  const InstanceType& type = *request.instance_type;
  const std::string& mode = settings_.text(Option::kProvisionMode);
  if (mode == "aksmachineapi" || mode == "aksmachineapiheaderbatch")
    return Error(fmt::format("provision-mode {}: AKS creates the launch template itself; nothing to resolve", mode));

  auto kind = std::make_shared<NodeKind>();
  Resolution& node = kind->node;
  auto version = node_kubernetes_version(settings_, detected_, node_class);
  if (!version) return std::move(version).error();
  node.kubernetes_version = *std::move(version);
  warn_of_outdated_status(settings_, detected_, node_class, node.warnings);
  node.pool = request.claim->pool;
  node.node_class = node_class.name;
  node.node_class_hash = node_class.hash;
  if (request.pool != nullptr) node.node_pool_hash = request.pool->hash;
  node.instance_type = &type;
  node.bootstrap = bootstrap_;
  node.bootstrap_name = bootstrap_name_;
  node.from_class = &node_class;
  node.from_pool = request.pool;
  node.identities = identities_;
  node.settings = &settings_;
  node.disk_encryption_set = settings_.at(Option::kDiskEncryptionSetId);

  auto image = images_.select(image_query(node_class, type, *node.kubernetes_version));
  if (!image) return std::move(image).error();
  node.image = *std::move(image);

  if (auto error = refuse_class_subnet(node_class, settings_)) return *std::move(error);
  offer_history(node.subnet_id, settings_.at(Option::kVnetSubnetId));
  if (node_class.vnet_subnet_id)
    node.subnet_id.offer(Source::kNodeClass, "spec.vnetSubnetID", *node_class.vnet_subnet_id);
  const auto subnet = parse_subnet_id(*node.subnet_id);
  if (!subnet) return Error(fmt::format("'{}' is not the ID of a subnet", *node.subnet_id));

  node.os_disk_size = Value<std::string>(Source::kHardcoded, "the node class's default", "128");
  if (node_class.written.contains("osDiskSizeGB"))
    node.os_disk_size.offer(Source::kNodeClass, "spec.osDiskSizeGB", std::to_string(node_class.os_disk_size_gb));
  const EphemeralDisk ephemeral = ephemeral_disk(type);
  node.os_disk = {node_class.os_disk_size_gb, ephemeral.size_gb >= node_class.os_disk_size_gb && ephemeral.size_gb > 0,
                  ""};
  if (node.os_disk.ephemeral) node.os_disk.placement = ephemeral.placement;

  if (detected_.dns_service_ip)
    node.cluster_dns.offer(Source::kDetected, "service kube-system/kube-dns", *detected_.dns_service_ip);
  if (settings_.given(Option::kDnsServiceIp)) offer_history(node.cluster_dns, settings_.at(Option::kDnsServiceIp));
  if (!node.cluster_dns.set()) node.cluster_dns = Value<std::string>(Source::kHardcoded, "AKS default", "10.0.0.10");

  warn_of_kind(node);
  const bool carries_all = bootstrap_ == Bootstrap::kNodeConfig;
  node.local_dns = local_dns_enabled(node_class, *node.image.family, node.warnings) && carries_all;
  node.artifact_streaming = node_class.artifact_streaming && type.arch != "arm64" && carries_all;
  ValueMap flags = kubelet_flags({&settings_, request.pool, &node_class, &type,
                                  *Version::parse(*node.kubernetes_version), node.cluster_dns, carries_all});
  if (auto error = refuse_spaced_flags(flags)) return *std::move(error);
  if (auto error = refuse_impossible_flags(flags)) return *std::move(error);
  if (auto error = refuse_over_reserved({&settings_, request.pool, &node_class}, type)) return *std::move(error);
  node.kubelet_flags = shared(std::move(flags));
  ValueMap labels = kind_labels({&settings_, request.pool, &node_class, &type, node.image.family,
                                 *node.kubernetes_version, subnet->subnet, node.local_dns, node.artifact_streaming});
  kind->unfit_labels = unfit_labels(labels);
  node.labels = shared(std::move(labels));
  ValueMap tags = node_tags(settings_, node_class, node.pool, node.warnings);
  if (tags.size() > kMaxTags)
    return Error(fmt::format("the VM would have {} tags; Azure allows at most {}", tags.size(), kMaxTags))
        .with_hint("leave some out of spec.tags of the node class or of additional-tags");
  node.tags = shared(std::move(tags));
  node.variables = cluster_variables_;
  offer_kind_variables(node.variables, node, *subnet);
  if (carries_all)
    if (auto error = refuse_node_config(node, node.warnings)) return *std::move(error);
  kind->frame = bootstrapper(bootstrap_).frame(node);
  render_kind(*kind);
  return std::shared_ptr<const NodeKind>(std::move(kind));
}

}  // namespace sunup::fleet

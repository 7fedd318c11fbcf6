#include "fleet/resolve/node_findings.h"

#include <fmt/format.h>

#include "base/text.h"

namespace sunup::fleet {
namespace {

// Settings that the first generation of images has no variable for.
void warn_of_uncarried(const NodeClass& node_class, Findings& warnings) {
  constexpr const char* kHint = "use --bootstrap nodeconfig, which carries it";
  const auto not_carried = [&](const char* path) {
    warn(warnings, path, "no-effect", "is accepted, but has no effect in provision mode aksscriptless", kHint);
  };
  if (node_class.linux_os_config) not_carried("spec.linuxOSConfig");
  if (node_class.local_dns == LocalDnsMode::kRequired) not_carried("spec.localDNS");
  if (node_class.artifact_streaming) not_carried("spec.artifactStreaming");
  if (!node_class.kubelet) return;
  if (node_class.kubelet->fail_swap_on) not_carried("spec.kubelet.failSwapOn");
  if (node_class.kubelet->cpu_cfs_quota_period && *node_class.kubelet->cpu_cfs_quota_period != "100ms")
    not_carried("spec.kubelet.cpuCFSQuotaPeriod");
}

// Network policies that an AKSNodeConfig cannot express.
void warn_of_unnamed_policy(const std::string& policy, Findings& findings) {
  const std::string lower = lowered(policy);
  if (lower.empty() || lower == "azure" || lower == "calico" || lower == "none") return;
  if (lower == "cilium")
    return note(findings, "network-policy", "no-effect",
                "an AKSNodeConfig has no value for cilium, for which a node needs no setup");
  warn(findings, "network-policy", "no-effect",
       fmt::format("'{}' has no equivalent in an AKSNodeConfig; it is not passed to the node", policy));
}

}  // namespace

void warn_of_kind(NodeKind& kind, const Detected& detected) {
  const NodeClass& node_class = *kind.from_class;
  const Settings& settings = *kind.settings;
  Findings& findings = kind.findings;
  if (!node_class.status.ready)
    warn(findings, fmt::format("node class {} status.conditions", node_class.name), "not-ready",
         "the class is not Ready; a controller does not create nodes from it until it is");
  if (kind.bootstrap == Bootstrap::kNodeConfig)
    warn_of_unnamed_policy(settings.text(Option::kNetworkPolicy), findings);
  else
    warn_of_uncarried(node_class, findings);
  if (!node_class.gpu_driver && !find_gpu_size(kind.instance_type->name))
    note(findings, "spec.gpu.mode", "no-effect",
         fmt::format("None has no effect: {} has no GPU", kind.instance_type->name));
  if (node_class.artifact_streaming && kind.instance_type->arch == "arm64")
    warn(findings, "spec.artifactStreaming", "no-effect", "artifact streaming is not supported on arm64");
  if (kind.cluster_dns.origin().source == Source::kHardcoded)
    warn(findings, "dns-service-ip", "assumed", "the cluster's DNS address is unknown; 10.0.0.10 is assumed",
         detected.kubernetes_version ? "set dns-service-ip" : "set dns-service-ip, or give --cluster URL to query it");
  if (kind.cluster->ca_bundle->empty())
    warn(findings, "ca-bundle", "missing", "nodes cannot verify the API server and will not join",
         detected.kubernetes_version ? "set ca-bundle" : "set ca-bundle, or give --cluster URL to query it");
  if (!settings.given(Option::kLocation))
    warn(findings, "location", "missing", "Azure does not create a VM without a location", "set location");
  if (settings.overlay() && !settings.given(Option::kVnetGuid))
    warn(findings, "vnet-guid", "missing", "nodes do not get the label nodenetwork-vnetguid", "set vnet-guid");
}

bool local_dns_enabled(const NodeClass& node_class, const ImageFamily& family, Findings& findings) {
  if (node_class.local_dns == LocalDnsMode::kDisabled) return false;
  if (node_class.local_dns == LocalDnsMode::kPreferred) {
    warn(findings, "spec.localDNS.mode", "no-effect", "Preferred means off for all current Kubernetes versions",
         "use Required to enable it");
    return false;
  }
  if (!family.local_dns) {
    warn(findings, "spec.localDNS.mode", "no-effect", fmt::format("{} images have no local DNS", family.name));
    return false;
  }
  return true;
}

}  // namespace sunup::fleet

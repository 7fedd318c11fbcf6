#include "fleet/launch/drift_cause.h"

#include <cstddef>

namespace sunup::fleet {
namespace {

// The first row whose name is a prefix of the field's name applies.
struct Rule {
  std::string_view field;
  DriftCause cause;
};
constexpr Rule kRules[] = {
    {"nodeClassHash", DriftCause::kNodeClass},
    {"nodePoolHash", DriftCause::kNodePool},
    {"kubernetesVersion", DriftCause::kVersion},
    {"image.id", DriftCause::kImage},
    {"machine.driftAction", DriftCause::kClusterConfig},
    {"subnetID", DriftCause::kNodeClass},
    {"osDisk.diskEncryptionSetID", DriftCause::kNextNode},
    {"osDisk.", DriftCause::kNodeClass},
    {"security.", DriftCause::kNodeClass},
    {"vmSize", DriftCause::kRequirements},
    {"capacityType", DriftCause::kRequirements},
    {"zone", DriftCause::kRequirements},
    {"tags.", DriftCause::kInPlace},
    {"identities.", DriftCause::kInPlace},
    {"inPlaceUpdateHash", DriftCause::kInPlace},
    {"labels.kubernetes.azure.com/kubelet-identity-client-id", DriftCause::kIdentity},
    {"labels.kubernetes.azure.com/os-sku", DriftCause::kNodeClass},
    {"labels.kubernetes.azure.com/fips_enabled", DriftCause::kNodeClass},
    {"labels.kubernetes.azure.com/network-stateless-cni", DriftCause::kVersion},
    {"labels.kubernetes.azure.com/mode", DriftCause::kNodePool},
    {"labels.kubernetes.azure.com/", DriftCause::kNextNode},
    {"labels.node.kubernetes.io/instance-type", DriftCause::kRequirements},
    {"labels.karpenter.sh/capacity-type", DriftCause::kRequirements},
    {"labels.kubernetes.io/arch", DriftCause::kRequirements},
    {"labels.karpenter.azure.com/sku-", DriftCause::kRequirements},
    {"labels.karpenter.azure.com/placement-scope", DriftCause::kRequirements},
    {"labels.", DriftCause::kNodePool},
    {"kubeletFlags.--register-with-taints", DriftCause::kNodePool},
    {"kubeletFlags.--cluster-dns", DriftCause::kNextNode},
    {"kubeletFlags.--kube-reserved", DriftCause::kNextNode},
    {"kubeletFlags.--system-reserved", DriftCause::kNextNode},
    {"kubeletFlags.--eviction-", DriftCause::kNextNode},
    {"kubeletFlags.--enforce-node-allocatable", DriftCause::kNextNode},
    {"kubeletFlags.--cloud-config", DriftCause::kVersion},
    {"kubeletFlags.--pod-infra-container-image", DriftCause::kVersion},
    {"kubeletFlags.--keep-terminated-pod-volumes", DriftCause::kVersion},
    {"kubeletFlags.--image-credential-provider", DriftCause::kVersion},
    {"kubeletFlags.--feature-gates", DriftCause::kVersion},
    {"kubeletFlags.--azure-container-registry-config", DriftCause::kVersion},
    {"kubeletFlags.", DriftCause::kNodeClass},
    {"variables.USER_ASSIGNED_IDENTITY_ID", DriftCause::kIdentity},
    {"variables.KUBERNETES_VERSION", DriftCause::kVersion},
    {"variables.KUBE_BINARY_URL", DriftCause::kVersion},
    {"variables.CREDENTIAL_PROVIDER_DOWNLOAD_URL", DriftCause::kVersion},
    {"variables.SUBNET", DriftCause::kNodeClass},
    {"variables.VIRTUAL_NETWORK", DriftCause::kNodeClass},
    {"variables.GPU_", DriftCause::kNodeClass},
    {"variables.CONFIG_GPU_DRIVER_IF_NEEDED", DriftCause::kNodeClass},
    {"variables.CONTAINERD_CONFIG_CONTENT", DriftCause::kNodeClass},
};

}  // namespace

std::string_view drift_reason(DriftCause cause) {
  constexpr std::string_view kNames[] = {"NodePoolDrifted",    "RequirementsDrifted",  "NodeClassDrift",
                                         "K8sVersionDrift",    "KubeletIdentityDrift", "ImageDrift",
                                         "ClusterConfigDrift", "InPlaceUpdate",        "NextNode"};
  return kNames[static_cast<size_t>(cause)];
}

DriftAction drift_action(DriftCause cause) {
  return cause == DriftCause::kInPlace    ? DriftAction::kInPlace
         : cause == DriftCause::kNextNode ? DriftAction::kNone
                                          : DriftAction::kReplace;
}

DriftCause drift_cause(std::string_view field) {
  for (const Rule& rule : kRules)
    if (field.starts_with(rule.field)) return rule.cause;
  return DriftCause::kNextNode;
}

DriftCause config_drift_cause(std::string_view path) {
  const auto under = [path](std::string_view part) { return path.find(part) != path.npos; };
  if (under("assigned_identity_id")) return DriftCause::kIdentity;
  if (under("kubernetes_version") || under("kube_binary_config")) return DriftCause::kVersion;
  if (under("custom_linux_os_config") || under("local_dns_profile") || under("gpu_config") ||
      under("enable_artifact_streaming") || under("cluster_network_config.subnet") ||
      under("cluster_network_config.vnet"))
    return DriftCause::kNodeClass;
  return DriftCause::kNextNode;
}

}  // namespace sunup::fleet

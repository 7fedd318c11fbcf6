#include "fleet/instance_choice.h"

#include <fmt/format.h>

#include <optional>

#include "fleet/gpu.h"

namespace sunup::fleet {
namespace {

// The requirement that the type does not meet, or null.
const Requirement* broken_requirement(const NodeClaim& claim, const InstanceType& type) {
  for (const Requirement& requirement : claim.requirements) {
    const auto label = type.labels.find(requirement.key);
    const bool has = label != type.labels.end();
    const bool about_sizes = requirement.key.starts_with("karpenter.azure.com/sku-") ||
                             requirement.key.starts_with("kubernetes.azure.com/sku-");
    // Zones, capacity and the user's own labels are not the size's to decide.
    if (!has && !about_sizes) continue;
    if (!requirement.allows(has ? std::optional(label->second) : std::nullopt)) return &requirement;
  }
  return nullptr;
}

// Empty when the type will do.
std::string why_not(const NodeClaim& claim, const NodeClass& node_class, const InstanceType& type) {
  if (std::string why = why_excluded(type); !why.empty()) return why;
  if (const Requirement* broken = broken_requirement(claim, type))
    return fmt::format("does not meet the requirement on {}", broken->key);
  const GpuSize* gpu = find_gpu_size(type.name);
  if (gpu != nullptr && node_class.gpu_driver && gpu->vendor == GpuVendor::kAmd)
    return "has an AMD GPU, for which there is no driver (gpu.mode None allows it)";
  if (node_class.encryption_at_host && !type.encryption_at_host) return "cannot encrypt at host";
  if (node_class.artifact_streaming && type.arch == "arm64") return "is arm64, where artifact streaming does not run";
  if (node_class.local_dns == LocalDnsMode::kRequired && (type.cpus < 4 || type.memory_gib < 0.25))
    return "is too small for local DNS, which needs 4 vCPUs";
  return "";
}

}  // namespace

Result<const InstanceType*> choose_instance_type(const NodeClaim& claim, const NodeClass& node_class,
                                                 const std::vector<const InstanceType*>& types) {
  std::string reasons;
  for (const InstanceType* type : types) {
    const std::string why = why_not(claim, node_class, *type);
    if (why.empty()) return type;
    reasons += fmt::format("{}{} {}", reasons.empty() ? "" : "; ", type->name, why);
  }
  return Error(
             fmt::format("no instance type fits claim {}: {}", claim.name, reasons.empty() ? "none is given" : reasons))
      .with_hint("give --instance-type, or name one known size in requirement node.kubernetes.io/instance-type");
}

}  // namespace sunup::fleet

#include "fleet/resolve/instance_choice.h"

#include <fmt/format.h>

#include <optional>

#include "fleet/resolve/kubelet_flags.h"
#include "fleet/resolve/node_reserve.h"
#include "fleet/resolve/resolver.h"
#include "fleet/sources/gpu.h"
#include "fleet/sources/quantity.h"

namespace sunup::fleet {
namespace {

// The requirement that the type does not meet, or null.
const Requirement* broken_requirement(const Constraints& constraints, const InstanceType& type) {
  for (const Constraint& constraint : constraints.all()) {
    const Requirement& requirement = *constraint.requirement;
    const auto label = type.labels.find(requirement.key);
    const bool has = label != type.labels.end();
    const bool about_sizes = requirement.key.starts_with("karpenter.azure.com/sku-") ||
                             requirement.key.starts_with("kubernetes.azure.com/sku-");
    // Zones, capacity type and user labels do not depend on the size.
    if (!has && !about_sizes) continue;
    if (!requirement.allows(has ? std::optional(label->second) : std::nullopt)) return &requirement;
  }
  return nullptr;
}

// The resources for pods on a node of this type, in thousandths; empty for a resource that no node has.
std::optional<int64_t> room_for(const std::string& resource, const ChoiceInputs& in, const InstanceType& type) {
  const ReserveInputs reserve{in.settings, in.pool, in.node_class};
  if (resource == "cpu" || resource == "memory" || resource == "ephemeral-storage")
    return node_capacity(reserve, resource, type) - kept_from_pods(reserve, resource, type);
  if (resource == "pods") return 1000 * int64_t{max_pods(*in.settings, in.pool, *in.node_class)};
  if (resource == "nvidia.com/gpu") return type.gpu_manufacturer == "nvidia" ? 1000 * int64_t{type.gpus} : 0;
  if (resource == "amd.com/gpu") return type.gpu_manufacturer == "amd" ? 1000 * int64_t{type.gpus} : 0;
  return std::nullopt;
}

// Empty if there is room for everything.
std::string why_no_room(const ChoiceInputs& in, const InstanceType& type) {
  if (std::string why = why_over_reserved({in.settings, in.pool, in.node_class}, type); !why.empty()) return why;
  for (const auto& [resource, asked] : in.claim->requests) {
    const auto amount = parse_quantity(asked);
    if (!amount || amount->milli <= 0) continue;
    if (const auto room = room_for(resource, in, type); !room || *room < amount->milli)
      return fmt::format("has no room for {} of {}", asked, resource);
  }
  return "";
}

// Empty if the size is offered where the node is placed, or if this is unknown.
std::string why_not_here(const ChoiceInputs& in, const InstanceType& type) {
  const std::string& location = in.settings->text(Option::kLocation);
  if (!type.offers || location.empty()) return "";
  if (type.offer_in(location) == nullptr)
    return fmt::format("is not offered in {}{}", location,
                       type.restriction.empty() ? "" : fmt::format(" ({})", type.restriction));
  if (choose_placement(*in.constraints, location, type)) return "";
  InstanceType everywhere;
  everywhere.offers = {{location, std::vector<std::string>{"1", "2", "3"}}};
  if (!choose_placement(*in.constraints, location, everywhere)) return "";  // the size is not the reason
  return choose_zone(*in.constraints, location, type) ? fmt::format("is not known to have a zone of {}", location)
                                                      : "is not offered in any of the requested zones";
}

// Empty if the type is suitable.
std::string why_not(const ChoiceInputs& in, const InstanceType& type) {
  const NodeClass& node_class = *in.node_class;
  if (std::string why = why_excluded(type); !why.empty()) return why;
  if (const Requirement* broken = broken_requirement(*in.constraints, type))
    return fmt::format("does not meet the requirement on {}", broken->key);
  if (std::string why = why_not_here(in, type); !why.empty()) return why;
  const auto gpu = find_gpu_size(type.name);
  if (gpu && node_class.gpu_driver && gpu->vendor == GpuVendor::kAmd)
    return "has an AMD GPU, for which there is no driver (gpu.mode None allows it)";
  const ImageFamily* family =
      find_image_family({node_class.image_family, node_class.fips, node_class.trusted_launch(), ""});
  if (gpu && (family == nullptr || !gpu_runs_on(*gpu, family->os_sku)))
    return fmt::format("has a GPU that {} images do not support", node_class.image_family);
  if (node_class.encryption_at_host && !type.encryption_at_host) return "cannot encrypt at host";
  if (node_class.artifact_streaming && type.arch == "arm64")
    return "is arm64, on which artifact streaming is not supported";
  if (node_class.local_dns == LocalDnsMode::kRequired && (type.cpus < 4 || type.memory_gib < 0.25))
    return "is too small for local DNS, which needs 4 vCPUs";
  if (in.resolver != nullptr)
    if (std::string why = in.resolver->why_no_image(node_class, type); !why.empty()) return why;
  return why_no_room(in, type);
}

}  // namespace

Result<const InstanceType*> choose_instance_type(const ChoiceInputs& in,
                                                 const std::vector<const InstanceType*>& types) {
  std::string reasons;
  for (const InstanceType* type : types) {
    if (in.resolver != nullptr && in.resolver->deadline().passed()) return Deadline::error();
    const std::string why = why_not(in, *type);
    if (why.empty()) return type;
    reasons += fmt::format("{}{} {}", reasons.empty() ? "" : "; ", type->name, why);
  }
  return Error(fmt::format("no instance type fits claim {}: {}", in.claim->name,
                           reasons.empty() ? "none is given" : reasons))
      .with_hint("give --instance-type, or name one known size in requirement node.kubernetes.io/instance-type");
}

}  // namespace sunup::fleet

#include "fleet/resolve/decisions.h"

#include <string>
#include <string_view>

#include "fleet/resolve/node_labels.h"

namespace sunup::fleet {

std::optional<Error> check_decisions(const Resolution& node, const Constraints& constraints) {
  const Settings& settings = *node.settings;
  const NodeClass& node_class = *node.from_class;
  const auto decided = [&](std::string_view key, const std::optional<std::string>& value) {
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

}  // namespace sunup::fleet

#include "fleet/class_subnet.h"

#include <fmt/format.h>

#include "fleet/patterns.h"

namespace sunup::fleet {

std::optional<Error> refuse_class_subnet(const NodeClass& node_class, const Settings& settings) {
  if (!node_class.vnet_subnet_id) return std::nullopt;
  const auto own = parse_subnet_id(*node_class.vnet_subnet_id);
  const auto cluster = parse_subnet_id(settings.text(Option::kVnetSubnetId));
  if (!own || !cluster) return std::nullopt;  // their shapes have rules of their own
  const std::string where = fmt::format("node class {}: spec.vnetSubnetID", node_class.name);
  if (is_managed_network(*cluster, settings.text(Option::kNodeResourceGroup)))
    return Error(
               fmt::format("{}: may not be set: AKS manages the cluster's network {}, where nodes have no other subnet "
                           "than aks-subnet (rule: managed-network)",
                           where, cluster->vnet))
        .with_hint("leave it out, or make the cluster with a network of your own");
  const bool same = equal_ignoring_case(own->subscription, cluster->subscription) &&
                    equal_ignoring_case(own->resource_group, cluster->resource_group) &&
                    equal_ignoring_case(own->vnet, cluster->vnet);
  if (same) return std::nullopt;
  const auto network = [](const SubnetId& id) {
    return fmt::format("{} (subscription {}, group {})", id.vnet, id.subscription, id.resource_group);
  };
  return Error(fmt::format("{}: is in network {}, must be in the cluster's, {} (rule: same-network)", where,
                           network(*own), network(*cluster)))
      .with_hint("nodes of one cluster are in one network; vnet-subnet-id names it");
}

}  // namespace sunup::fleet

#include "fleet/sources/class_subnet.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"

namespace sunup::fleet {
namespace {

// Azure's rule for the names of networks and subnets.
bool is_network_name(std::string_view name, size_t longest) {
  return !name.empty() && name.size() <= longest && is_alphanumeric(name.front()) &&
         (is_alphanumeric(name.back()) || name.back() == '_') && std::all_of(name.begin(), name.end(), [](char c) {
           return is_alphanumeric(c) || c == '_' || c == '.' || c == '-';
         });
}

}  // namespace

std::string why_misnamed(const SubnetId& subnet) {
  constexpr size_t kLongestNetwork = 64;
  constexpr size_t kLongestSubnet = 80;
  const auto wrong = [](std::string_view what, std::string_view name, size_t longest) {
    return fmt::format(
        "the {}'s name '{}' must have at most {} letters, digits, '_', '.' and '-', "
        "begin with a letter or digit and end with one or with '_'",
        what, name, longest);
  };
  if (!is_network_name(subnet.vnet, kLongestNetwork)) return wrong("network", subnet.vnet, kLongestNetwork);
  if (!is_network_name(subnet.subnet, kLongestSubnet)) return wrong("subnet", subnet.subnet, kLongestSubnet);
  return "";
}

std::optional<Error> refuse_class_subnet(const NodeClass& node_class, const Settings& settings) {
  if (!node_class.vnet_subnet_id) return std::nullopt;
  const std::string where = fmt::format("node class {}: spec.vnetSubnetID", node_class.name);
  const auto own = parse_subnet_id(*node_class.vnet_subnet_id);
  if (own)
    if (const std::string wrong = why_misnamed(*own); !wrong.empty())
      return Error(fmt::format("{}: {} (rule: name)", where, wrong));
  const auto cluster = parse_subnet_id(settings.text(Option::kVnetSubnetId));
  if (!own || !cluster) return std::nullopt;  // other rules check the formats
  if (is_managed_network(*cluster, settings.text(Option::kNodeResourceGroup)))
    return Error(fmt::format("{}: may not be set: AKS manages the cluster's network {}, in which nodes can only use "
                             "aks-subnet (rule: managed-network)",
                             where, cluster->vnet))
        .with_hint("leave it out, or create the cluster with a custom network");
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

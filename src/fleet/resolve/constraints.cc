#include "fleet/resolve/constraints.h"

#include <fmt/format.h>

#include <algorithm>

#include "fleet/sources/label_keys.h"

namespace sunup::fleet {
namespace {

// A label with one of these keys is a requirement on the machine.
bool is_requirement(std::string_view key) {
  constexpr std::string_view kKeys[] = {kInstanceTypeLabel,
                                        kSkuNameLabel,
                                        kCapacityTypeLabel,
                                        kZoneLabel,
                                        kRegionLabel,
                                        "kubernetes.io/arch",
                                        "kubernetes.io/os",
                                        "kubernetes.azure.com/scalesetpriority",
                                        "kubernetes.azure.com/priority",
                                        "kubernetes.azure.com/os-sku",
                                        "kubernetes.azure.com/fips_enabled",
                                        "kubernetes.azure.com/cluster",
                                        "kubernetes.azure.com/ebpf-dataplane",
                                        "karpenter.azure.com/aksnodeclass"};
  return std::find(std::begin(kKeys), std::end(kKeys), key) != std::end(kKeys);
}

// Properties of a size. In a pool they are requirements; in a claim they record the machine that the controller has
// chosen.
bool is_size_property(std::string_view key) {
  return key.starts_with("karpenter.azure.com/sku-") || key.starts_with("kubernetes.azure.com/sku-");
}

constexpr std::string_view kPriorityLabels[] = {"kubernetes.azure.com/scalesetpriority",
                                                "kubernetes.azure.com/priority"};

const Constraint* broken_by_capacity(const Constraints& constraints, std::string_view type) {
  if (const Constraint* broken = constraints.broken(kCapacityTypeLabel, std::string(type))) return broken;
  for (const std::string_view key : kPriorityLabels)
    if (const Constraint* broken = constraints.broken(key, type == "spot" ? "spot" : "regular")) return broken;
  return nullptr;
}

}  // namespace

Constraints::Constraints(const NodeClaim& claim, const NodePool* pool) {
  const auto pools = [pool](const Requirement& requirement) {
    return pool != nullptr && std::ranges::find(pool->requirements, requirement) != pool->requirements.end();
  };
  for (const Requirement& requirement : claim.requirements)
    all_.push_back({&requirement, pools(requirement) ? Origin{Source::kNodePool, "spec.template.spec.requirements"}
                                                     : Origin{Source::kNodeClaim, "spec.requirements"}});
  if (pool != nullptr)
    for (const Requirement& requirement : pool->requirements)
      all_.push_back({&requirement, {Source::kNodePool, "spec.template.spec.requirements"}});
  const auto add_label = [this](std::string_view key, const std::string& value, Origin origin) {
    from_labels_.push_back({std::string(stable_label(key)), "In", {value}});
    all_.push_back({&from_labels_.back(), origin});
  };
  for (const auto& [key, value] : claim.labels)
    if (is_requirement(stable_label(key)) && (pool == nullptr || !pool->labels.contains(key)))
      add_label(key, value, {Source::kNodeClaim, "metadata.labels"});
  if (pool == nullptr) return;
  for (const auto& [key, value] : pool->labels) {
    if (!is_requirement(stable_label(key)) && !is_size_property(key)) continue;
    const auto own = claim.labels.find(key);
    if (own == claim.labels.end() || own->second == value)
      add_label(key, value, {Source::kNodePool, "spec.template.metadata.labels"});
    else
      add_label(key, own->second, {Source::kNodeClaim, "metadata.labels"});
  }
}

const Constraint* Constraints::broken(std::string_view key, const std::optional<std::string>& value) const {
  for (const Constraint& constraint : all_)
    if (constraint.requirement->key == key && !constraint.requirement->allows(value)) return &constraint;
  return nullptr;
}

const Constraint* Constraints::unheeded(std::string_view key) const {
  for (const Constraint& constraint : all_)
    if (constraint.requirement->key == key &&
        (constraint.requirement->op == "NotIn" || !constraint.requirement->allows(std::nullopt)))
      return &constraint;
  return nullptr;
}

const Constraint* Constraints::listing(std::string_view key) const {
  for (const Constraint& constraint : all_)
    if (constraint.requirement->key == key && constraint.requirement->op == "In") return &constraint;
  return nullptr;
}

Result<Choice> choose_capacity_type(const Constraints& constraints) {
  const Constraint* listed = constraints.listing(kCapacityTypeLabel);
  for (const std::string_view key : kPriorityLabels)
    if (listed == nullptr) listed = constraints.listing(key);
  const std::string_view first = listed != nullptr ? "spot" : "on-demand";
  const std::string_view second = listed != nullptr ? "on-demand" : "spot";
  for (const std::string_view type : {first, second}) {
    if (broken_by_capacity(constraints, type) != nullptr) continue;
    const Origin origin = listed != nullptr     ? listed->origin
                          : type == "on-demand" ? Origin{Source::kHardcoded, "unless spot is requested"}
                                                : Origin{Source::kComputed, "the only capacity type allowed"};
    return Choice{std::string(type), origin};
  }
  return Error(fmt::format("{} requires {}; VMs are on-demand or spot, and neither is allowed",
                           source_name(broken_by_capacity(constraints, "on-demand")->origin.source),
                           describe(*broken_by_capacity(constraints, "on-demand")->requirement)));
}

std::string_view zone_number(std::string_view zone) {
  const size_t dash = zone.rfind('-');
  if (dash == zone.npos || dash == 0) return {};
  const std::string_view number = zone.substr(dash + 1);
  return number.find_first_not_of("0123456789") == number.npos ? number : std::string_view();
}

Result<Choice> choose_zone(const Constraints& constraints, std::string_view location, const InstanceType& type) {
  const Constraint* listed = constraints.listing(kZoneLabel);
  if (listed == nullptr) return Choice{};
  const auto here = [&](std::string_view zone) {
    const std::string_view number = zone_number(zone);
    return !number.empty() && (location.empty() || zone.substr(0, zone.size() - number.size() - 1) == location);
  };
  // No location has more than three zones; a list of SKUs is more precise.
  constexpr std::string_view kZones[] = {"1", "2", "3"};
  const SizeOffer* offer = type.offer_in(location);
  const auto offered = [&](std::string_view zone) {
    if (offer == nullptr || !offer->zones) return std::ranges::find(kZones, zone_number(zone)) != std::end(kZones);
    return std::ranges::find(*offer->zones, zone_number(zone)) != offer->zones->end();
  };
  for (const std::string& zone : listed->requirement->values) {
    if (constraints.broken(kZoneLabel, zone) != nullptr) continue;
    if (here(zone) && offered(zone)) return Choice{zone, listed->origin};
    if (zone.empty() || zone == "0") return Choice{"", listed->origin};  // the label of nodes without a zone
  }
  return Error(fmt::format("{} requires {}, but no such zone of {} is allowed and offers {}",
                           source_name(listed->origin.source), describe(*listed->requirement),
                           location.empty() ? "any location" : location, type.name))
      .with_hint("zones are named after their location and numbered 1 to 3, such as eastus-1");
}

std::optional<Error> contradiction(const Constraints& constraints, std::string_view key,
                                   const std::optional<std::string>& value) {
  const Constraint* broken = constraints.broken(key, value);
  if (broken == nullptr) return std::nullopt;
  return Error(fmt::format("{} requires {}, but the node has {}", in_words(broken->origin),
                           describe(*broken->requirement), value ? fmt::format("'{}'", *value) : "not set"));
}

Result<Choice> choose_placement(const Constraints& constraints, std::string_view location, const InstanceType& type) {
  auto zone = choose_zone(constraints, location, type);
  if (!zone) return zone;
  const Constraint* broken = constraints.broken(kPlacementScopeLabel, std::string(placement_scope(zone->value)));
  if (broken == nullptr) return zone;
  const bool wants_zone = zone->value.empty() && constraints.broken(kPlacementScopeLabel, "zonal") == nullptr;
  if (const SizeOffer* offer = type.offer_in(location); wants_zone && offer != nullptr && offer->zones)
    for (const std::string& number : *offer->zones) {
      std::string named = fmt::format("{}-{}", location, number);
      if (constraints.broken(kZoneLabel, named) == nullptr) return Choice{std::move(named), broken->origin};
    }
  return Error(fmt::format("{} requires {}, but the node has {}", in_words(broken->origin),
                           describe(*broken->requirement), placement_scope(zone->value)))
      .with_hint(wants_zone ? "list the zones in a requirement on topology.kubernetes.io/zone"
                            : "a VM without a zone is regional, one in a zone is zonal");
}

}  // namespace sunup::fleet

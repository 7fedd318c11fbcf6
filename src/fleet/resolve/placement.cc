#include "fleet/resolve/placement.h"

#include <fmt/format.h>

#include <string>

namespace sunup::fleet {

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

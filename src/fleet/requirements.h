// What a claim's node has to be like, by all who have a say in it: the claim's requirements and labels, and its pool's.
// Zone and capacity type are chosen by them; what else is decided elsewhere is held against them, so that nobody gets a
// node that says it is what it is not.
#pragma once

#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "fleet/instance_type.h"
#include "fleet/node_pool.h"
#include "fleet/provenance.h"

namespace sunup::fleet {

inline constexpr std::string_view kInstanceTypeLabel = "node.kubernetes.io/instance-type";
inline constexpr std::string_view kSkuNameLabel = "karpenter.azure.com/sku-name";
inline constexpr std::string_view kCapacityTypeLabel = "karpenter.sh/capacity-type";
inline constexpr std::string_view kZoneLabel = "topology.kubernetes.io/zone";
inline constexpr std::string_view kRegionLabel = "topology.kubernetes.io/region";

struct Constraint {
  const Requirement* requirement = nullptr;
  Origin origin;
};

// A choice, and who made it.
struct Choice {
  std::string value;
  Origin origin;
};

// All constraints on one node; points into the claim and the pool.
class Constraints {
 public:
  Constraints(const NodeClaim& claim, const NodePool* pool);
  Constraints(const Constraints&) = delete;
  Constraints& operator=(const Constraints&) = delete;

  const std::vector<Constraint>& all() const { return all_; }
  // The first that a node whose label `key` is `value` would break; null when there is none.
  const Constraint* broken(std::string_view key, const std::optional<std::string>& value) const;
  // The first that a node without this label either breaks, or meets only because the label is missing; null when there
  // is none.
  const Constraint* unheeded(std::string_view key) const;
  // The first that lists the values `key` may have; null when none does.
  const Constraint* listing(std::string_view key) const;

 private:
  std::vector<Constraint> all_;
  std::deque<Requirement> from_labels_;
};

// Spot where it is asked for, because it is what the user pays less for; else on-demand.
Result<Choice> choose_capacity_type(const Constraints& constraints);

// The first zone that is allowed in this location ("eastus-1"), and where the size is offered if that is known; an
// empty one when nobody asks for any.
Result<Choice> choose_zone(const Constraints& constraints, std::string_view location, const InstanceType& type);

// "1" of "eastus-1"; empty when it is no zone.
std::string_view zone_number(std::string_view zone);

// What a decision about `key` runs into, as an Error that names both; nothing when it is allowed.
std::optional<Error> contradiction(const Constraints& constraints, std::string_view key,
                                   const std::optional<std::string>& value);

// "karpenter.sh/capacity-type In [spot]"
std::string describe(const Requirement& requirement);

}  // namespace sunup::fleet

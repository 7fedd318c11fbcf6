// The constraints on the node of a claim: the requirements and labels of the claim and of its pool. They determine zone
// and capacity type; all other decisions are compared with them, so a node never has a label that does not apply.
#pragma once

#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "fleet/sources/instance_type.h"
#include "fleet/sources/label_keys.h"
#include "fleet/sources/node_pool.h"
#include "fleet/sources/provenance.h"

namespace sunup::fleet {

struct Constraint {
  const Requirement* requirement = nullptr;
  Origin origin;
};

// A choice and its source.
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
  // The first constraint that a node with the label `key`=`value` violates; null if there is none.
  const Constraint* broken(std::string_view key, const std::optional<std::string>& value) const;
  // The first constraint that a node without this label violates, or meets only because the label is missing; null if
  // there is none.
  const Constraint* unheeded(std::string_view key) const;
  // The first constraint that lists the allowed values of `key`; null if there is none.
  const Constraint* listing(std::string_view key) const;

 private:
  std::vector<Constraint> all_;
  std::deque<Requirement> from_labels_;
};

// Spot if it is allowed explicitly, because it is cheaper; otherwise on-demand.
Result<Choice> choose_capacity_type(const Constraints& constraints);

// The first allowed zone in this location ("eastus-1") in which the size is offered, if that is known; empty if no zone
// is required.
Result<Choice> choose_zone(const Constraints& constraints, std::string_view location, const InstanceType& type);

// "1" of "eastus-1"; empty if it is not a zone.
std::string_view zone_number(std::string_view zone);

// The conflict of a decision about `key` with a constraint, as an Error that names both; empty if it is allowed.
std::optional<Error> contradiction(const Constraints& constraints, std::string_view key,
                                   const std::optional<std::string>& value);

// The label karpenter.azure.com/placement-scope of a node in this zone, which may be empty.
constexpr std::string_view placement_scope(std::string_view zone) {
  return zone.empty() ? "regional" : "zonal";
}

// choose_zone() with the required placement scope: if a zone is required but not named, the first zone in which the
// size is offered is used.
Result<Choice> choose_placement(const Constraints& constraints, std::string_view location, const InstanceType& type);

}  // namespace sunup::fleet

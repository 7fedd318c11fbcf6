// Drift: has what a node was made from moved away from what a node would be made from today? Compared field by field,
// with a reason for each, and whether it takes a new node.
//
// "Was" is a launch template, or what a live node shows of itself (its Node and NodeClaim objects), in which case only
// what it shows is compared.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace sunup::fleet {

enum class DriftAction {
  kReplace,  // only a new node can have it
  kInPlace,  // tags and identities: updated on the running VM
  kNone,     // no drift: the next node gets it, running ones are left alone
};

struct DriftedField {
  std::string field;
  std::string was;  // never a credential
  std::string is;
  // As controllers name it: NodePoolDrifted, RequirementsDrifted, NodeClassDrift, K8sVersionDrift,
  // KubeletIdentityDrift, ImageDrift; InPlaceUpdate for tags and identities; NextNode for what is no drift.
  std::string_view reason;
  DriftAction action = DriftAction::kReplace;
};

struct DriftReport {
  std::vector<DriftedField> fields;  // all that differ, drift or not
  bool deleting = false;             // a node that is being deleted does not drift, and is not compared

  bool drifted() const;
  bool needs_new_node() const;
  // The reason a controller would give: pool, requirements, node class, Kubernetes version, kubelet identity, image, in
  // this order; empty without drift.
  std::string_view reason() const;
};

Result<DriftReport> compare_drift(const nlohmann::json& was, const nlohmann::json& is);

std::string drift_text(const DriftReport& report);
nlohmann::ordered_json drift_json(const DriftReport& report);

}  // namespace sunup::fleet

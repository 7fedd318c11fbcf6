// The result of a drift comparison: each different field with its reason and action, as a table or as JSON.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace sunup::fleet {

enum class DriftAction {
  kReplace,  // a new node is needed
  kInPlace,  // tags and identities: updated on the running VM
  kNone,     // no drift: takes effect with the next node
};

struct DriftedField {
  std::string field;
  std::string was;  // never a credential
  std::string is;
  // As controllers name it: NodePoolDrifted, RequirementsDrifted, NodeClassDrift, K8sVersionDrift,
  // KubeletIdentityDrift, ImageDrift; InPlaceUpdate for tags and identities; NextNode if it is not drift.
  std::string_view reason;
  DriftAction action = DriftAction::kReplace;
};

struct DriftReport {
  std::vector<DriftedField> fields;  // all different fields, drift or not
  bool deleting = false;             // a node that is being deleted does not drift, and is not compared

  bool drifted() const;
  bool needs_new_node() const;
  // The reason that a controller would report: pool, requirements, node class, Kubernetes version, kubelet identity,
  // image, in this order; empty without drift.
  std::string_view reason() const;
};

std::string drift_text(const DriftReport& report);
nlohmann::ordered_json drift_json(const DriftReport& report);

}  // namespace sunup::fleet

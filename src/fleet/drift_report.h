// What a look for drift found: each field that differs with its reason and what that takes, and all of it as a table or
// as JSON.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

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

std::string drift_text(const DriftReport& report);
nlohmann::ordered_json drift_json(const DriftReport& report);

}  // namespace sunup::fleet

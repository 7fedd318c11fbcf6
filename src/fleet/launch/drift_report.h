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
  // KubeletIdentityDrift, ImageDrift, ClusterConfigDrift; InPlaceUpdate for tags and identities; NextNode if it is not
  // drift.
  std::string_view reason;
  DriftAction action = DriftAction::kReplace;
};

struct DriftReport {
  std::vector<DriftedField> fields;  // all different fields, drift or not
  bool deleting = false;             // a node that is being deleted does not drift, and is not compared
  // The body of the PATCH request that updates the VM in place; null if no request can or need do that.
  nlohmann::ordered_json patch = nullptr;
  std::vector<std::string> not_judged;  // what a controller does not compare now, and why

  bool drifted() const;
  bool needs_new_node() const;
  // The reason that a controller would report: pool, requirements, node class, Kubernetes version, kubelet identity,
  // image, cluster configuration, in this order; empty without drift.
  std::string_view reason() const;
};

std::string drift_text(const DriftReport& report);
nlohmann::ordered_json drift_json(const DriftReport& report);

}  // namespace sunup::fleet

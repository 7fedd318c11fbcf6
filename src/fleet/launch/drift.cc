#include "fleet/launch/drift.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "base/json_member.h"
#include "base/text.h"
#include "contract/diff.h"
#include "fleet/launch/drift_cause.h"
#include "fleet/launch/drift_state.h"
#include "fleet/resolve/constraints.h"
#include "fleet/sources/image_family.h"
#include "fleet/sources/image_versions.h"
#include "fleet/sources/label_keys.h"
#include "render/nbc_secrets.h"

namespace sunup::fleet {
namespace {

using nlohmann::json;

bool secret(std::string_view field) {
  constexpr std::string_view kPrefix = "variables.";
  return field.starts_with(kPrefix) && render::is_secret_variable(field.substr(kPrefix.size()));
}

// The label of a field; empty if it has none.
std::string_view label_of(std::string_view field) {
  constexpr std::string_view kPrefix = "labels.";
  if (field == "vmSize") return kInstanceTypeLabel;
  if (field == "capacityType") return kCapacityTypeLabel;
  if (field == "zone") return kZoneLabel;
  return field.starts_with(kPrefix) ? stable_label(field.substr(kPrefix.size())) : std::string_view();
}

std::string text(const DriftState& state, const std::string& field) {
  const auto it = state.fields.find(field);
  return it == state.fields.end() ? std::string() : it->second;
}

// The parts that have changed, as the basis for judging fields.
class Evidence {
 public:
  Evidence(const DriftState& was, const DriftState& is)
      : has_requirements_(is.requirements.has_value()),
        node_class_(hash_moved(was, is, "nodeClassHash")),
        node_pool_(hash_moved(was, is, "nodePoolHash")),
        version_(text(was, "kubernetesVersion") != text(is, "kubernetesVersion")) {
    if (has_requirements_)
      for (const Requirement& requirement : *is.requirements) requirements_.emplace(requirement.key, &requirement);
  }

  DriftCause judge(DriftCause cause, std::string_view field, const std::string& before) const {
    if (const std::string_view label = label_of(field); !label.empty() && has_requirements_) {
      const std::optional<std::string> value = before.empty() ? std::nullopt : std::optional(before);
      const auto [first, last] = requirements_.equal_range(label);
      for (auto it = first; it != last; ++it)
        if (!it->second->allows(value)) return DriftCause::kRequirements;
      if (cause == DriftCause::kRequirements) return DriftCause::kNextNode;
    }
    if (cause == DriftCause::kNodeClass && !node_class_) return DriftCause::kNextNode;
    if (cause == DriftCause::kNodePool && !node_pool_) return DriftCause::kNextNode;
    if (cause == DriftCause::kVersion && !version_) return DriftCause::kNextNode;
    return cause;
  }

 private:
  // If there are no two hashes of one version to compare, only the fields themselves are judged.
  static bool hash_moved(const DriftState& was, const DriftState& is, const std::string& hash) {
    const std::string before = text(was, hash);
    const std::string now = text(is, hash);
    const bool comparable =
        !before.empty() && !now.empty() && text(was, hash + "Version") == text(is, hash + "Version");
    return !comparable || before != now;
  }

  std::multimap<std::string_view, const Requirement*> requirements_;  // of the new state, by label
  bool has_requirements_;
  bool node_class_;
  bool node_pool_;
  bool version_;
};

// Labels that no launch template sets, or that differ between nodes of one kind, are not drift.
bool belongs_to_one_node(std::string_view field) {
  return field == "labels.kubernetes.io/hostname" || field.starts_with("labels.topology.") ||
         field.starts_with("labels.failure-domain.") || field == "labels.karpenter.sh/registered" ||
         field == "labels.karpenter.sh/initialized";
}

// Labels that every node has, or that controllers set. A live node may have such a label even if its state does not
// contain it.
bool well_known(std::string_view label) {
  return label == kInstanceTypeLabel || label == kCapacityTypeLabel || label == kZoneLabel || label == kRegionLabel ||
         label.starts_with("kubernetes.io/") || label.starts_with("karpenter.sh/") ||
         label.starts_with("karpenter.azure.com/") || label.starts_with("kubernetes.azure.com/");
}

// Current requirements that a live node does not meet according to its labels, except those for which a field was
// reported.
void add_unmet_requirements(const DriftState& was, const DriftState& is, DriftReport& report) {
  if (was.whole || !is.requirements || was.shown_labels.empty()) return;
  std::set<std::string> reported;
  for (const DriftedField& field : report.fields)
    if (field.reason == drift_reason(DriftCause::kRequirements)) reported.emplace(label_of(field.field));
  for (const Requirement& requirement : *is.requirements) {
    const auto it = was.shown_labels.find(requirement.key);
    const bool shown = it != was.shown_labels.end();
    if (!shown && well_known(requirement.key)) continue;
    if (requirement.allows(shown ? std::optional(it->second) : std::nullopt)) continue;
    if (reported.contains(requirement.key)) continue;
    report.fields.push_back({"requirements." + requirement.key, shown ? it->second : "", describe(requirement),
                             drift_reason(DriftCause::kRequirements), drift_action(DriftCause::kRequirements)});
  }
}

struct TwoValues {
  const std::string& field;
  const std::string* was;  // null: the state has no such field
  const std::string* is;
};

// The fields of both states in order, or if the old state shows only a part of the node, its own.
std::vector<TwoValues> side_by_side(const DriftState& was, const DriftState& is) {
  std::vector<TwoValues> fields;
  auto a = was.fields.begin();
  auto b = is.fields.begin();
  while (a != was.fields.end() || b != is.fields.end()) {
    const int order = a == was.fields.end() ? 1 : b == is.fields.end() ? -1 : a->first.compare(b->first);
    if (order <= 0)
      fields.push_back({a->first, &a->second, order == 0 ? &b->second : nullptr});
    else if (was.whole)
      fields.push_back({b->first, nullptr, &b->second});
    if (order <= 0) ++a;
    if (order >= 0) ++b;
  }
  return fields;
}

// The condition of the class that a field is compared under; empty for fields that are always compared.
std::string_view condition_of(DriftCause cause) {
  if (cause == DriftCause::kVersion) return "KubernetesVersionReady";
  return cause == DriftCause::kImage ? "ImagesReady" : "";
}

// AKS attaches the identities of its machines itself. Two of their tags are about the machine and not in the template.
nlohmann::ordered_json machine_patch(const DriftState& was, const DriftState& is) {
  std::map<std::string, std::string> wanted;
  for (const char* own :
       {"karpenter.azure.com_aksmachine_nodeclaim", "karpenter.azure.com_aksmachine_creationtimestamp"})
    if (const auto it = was.machine_tags.find(own); it != was.machine_tags.end()) wanted.insert(*it);
  constexpr std::string_view kPrefix = "tags.";
  for (const auto& [field, value] : is.fields)
    if (field.starts_with(kPrefix)) wanted[field.substr(kPrefix.size())] = value;
  if (wanted == was.machine_tags) return nullptr;
  nlohmann::ordered_json tags = nlohmann::ordered_json::object();
  for (auto& [name, value] : wanted) append_member(tags, name, std::move(value));
  return {{"properties", {{"tags", std::move(tags)}}}};
}

// Tags are sent as a whole, because Azure replaces them. Identities can only be added by such a request.
nlohmann::ordered_json in_place_patch(const DriftState& was, const DriftState& is) {
  if (was.machine) return machine_patch(was, is);
  nlohmann::ordered_json tags = nlohmann::ordered_json::object();
  nlohmann::ordered_json identities = nlohmann::ordered_json::object();
  bool tags_differ = !was.whole;
  const auto after = [](const std::string& field, std::string_view prefix) { return field.substr(prefix.size()); };
  for (const auto& [field, value] : is.fields) {
    if (field.starts_with("tags.")) {
      append_member(tags, after(field, "tags."), value);
      tags_differ = tags_differ || text(was, field) != value;
    }
    if (field.starts_with("identities.") && !was.fields.contains(field))
      append_member(identities, after(field, "identities."), nlohmann::ordered_json::object());
  }
  for (const auto& [field, value] : was.fields)
    tags_differ = tags_differ || (field.starts_with("tags.") && !is.fields.contains(field));
  nlohmann::ordered_json patch = nullptr;
  if (!identities.empty())
    patch["identity"] = {{"type", "UserAssigned"}, {"userAssignedIdentities", std::move(identities)}};
  if (tags_differ) patch["tags"] = std::move(tags);
  return patch;
}

const ImageDefinition* find_definition(const ImageFamily& family, std::string_view name) {
  for (const ImageDefinition& definition : family.images)
    if (equal_ignoring_case(definition.name, name)) return &definition;
  return nullptr;
}

}  // namespace

Result<DriftReport> compare_drift(const json& was_document, const json& is_document) {
  auto was = read_drift_state(was_document);
  if (!was) return std::move(was).error().in("the first");
  auto is = read_drift_state(is_document);
  if (!is) {
    Error error = std::move(is).error().in("the second");
    if (error.hint.starts_with("give the output"))
      error.hint = "give the current launch template, as `sunup resolve` prints it";
    return error;
  }
  // A live node is the old state and the template the new one, in whichever order they were given.
  if (was->whole && !is->whole) std::swap(*was, *is);

  DriftReport report;
  if (was->deleting) {
    report.deleting = true;
    return report;
  }
  for (const std::string& condition : was->unready)
    report.not_judged.push_back(fmt::format("{}: {} of the AKSNodeClass is not True",
                                            condition == "ImagesReady" ? "the image" : "the Kubernetes version",
                                            condition));
  if (was->unregistered)
    report.not_judged.emplace_back("tags and identities: the node of the NodeClaim has not registered");
  const Evidence evidence(*was, *is);
  const auto add = [&](const std::string& field, std::string before, std::string now, DriftCause cause) {
    const DriftCause judged = evidence.judge(cause, field, before);
    // A live node need not have the values of the next node, as long as its own values are allowed.
    if (!was->whole && cause == DriftCause::kRequirements && judged == DriftCause::kNextNode) return;
    report.fields.push_back({field, std::move(before), std::move(now), drift_reason(judged), drift_action(judged)});
  };
  // Hashes of different versions cannot be compared; in that case only the fields are.
  const auto comparable = [&](const std::string& hash) {
    return text(*was, hash + "Version") == text(*is, hash + "Version");
  };

  bool compared = was->config && is->config;
  for (const auto& [field, old_value, new_value] : side_by_side(*was, *is)) {
    if (belongs_to_one_node(field) || field.ends_with("HashVersion")) continue;
    if (field.ends_with("Hash") && !comparable(field)) continue;
    if (field == "inPlaceUpdateHash" && was->whole) continue;  // the tags and identities are more precise
    if (field.starts_with("variables.") && (was->config || is->config)) continue;  // a config has none
    if (!is->whole && new_value == nullptr) continue;
    if (!was->whole && field.starts_with("labels.") && new_value == nullptr) continue;
    compared = true;
    const std::string before = old_value == nullptr ? "" : *old_value;
    const std::string now = field == "machine.driftAction" ? "Synced" : new_value == nullptr ? "" : *new_value;
    if (before == now) continue;
    const DriftCause cause = drift_cause(field);
    if (const std::string_view condition = condition_of(cause);
        std::find(was->unready.begin(), was->unready.end(), condition) != was->unready.end())
      continue;
    if (cause == DriftCause::kIdentity && was->machine) continue;  // AKS compares it itself
    if (cause == DriftCause::kInPlace && was->unregistered) continue;
    if (cause == DriftCause::kImage && of_one_release(before, now)) {
      // A different size has a different image of the same list.
      if (was->whole)
        report.fields.push_back({field, before, now, drift_reason(DriftCause::kNextNode), DriftAction::kNone});
      continue;
    }
    // A node without an identity label is not judged by it.
    if (cause == DriftCause::kIdentity && before.empty()) continue;
    const bool hidden = secret(field);
    add(field, hidden ? "<secret>" : before, hidden ? "<secret>" : now, cause);
  }
  if (was->config && is->config)
    for (const contract::Difference& difference : contract::diff(*was->config, *is->config))
      add("nodeConfig" + difference.path.substr(1), difference.left.value_or(""), difference.right.value_or(""),
          config_drift_cause(difference.path));
  add_unmet_requirements(*was, *is, report);
  const auto in_place = [](const DriftedField& field) { return field.action == DriftAction::kInPlace; };
  if (std::any_of(report.fields.begin(), report.fields.end(), in_place)) report.patch = in_place_patch(*was, *is);
  compared = compared || (!was->shown_labels.empty() && is->requirements && !is->requirements->empty());
  // "No drift" must be based on at least one compared field.
  if (!compared)
    return Error("the two have no common fields to compare")
        .with_hint("give the output of `sunup resolve`, or the Node and NodeClaim with their labels and status");
  return report;
}

bool of_one_release(std::string_view image_id, std::string_view other) {
  const auto a = parse_image_id(image_id);
  const auto b = parse_image_id(other);
  if (!a || !b || a->version.empty() || !equal_ignoring_case(a->gallery, b->gallery) || a->version != b->version)
    return false;
  for (const ImageFamily* family : image_families()) {
    const ImageDefinition* left = find_definition(*family, a->definition);
    const ImageDefinition* right = find_definition(*family, b->definition);
    if (left != nullptr && right != nullptr && left->fips == right->fips &&
        left->trusted_launch == right->trusted_launch)
      return true;
  }
  return false;
}

}  // namespace sunup::fleet

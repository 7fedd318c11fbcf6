#include "fleet/sources/node_pool_rules.h"

#include <algorithm>
#include <charconv>

#include "base/text.h"
#include "fleet/sources/conditions.h"
#include "fleet/sources/patterns.h"

namespace sunup::fleet {
namespace {

using nlohmann::json;

bool is_expiry(std::string_view text) {
  return text == "Never" || is_simple_duration(text);
}
constexpr Pattern kExpiry{is_expiry, "^(([0-9]+(s|m|h))+)|(Never)$"};
bool is_requirement_key(std::string_view text) {
  return text.size() <= 316 && is_qualified_name(text);
}
constexpr Pattern kRequirementKey{is_requirement_key, "a qualified name of at most 316 characters"};
bool has_no_slash(std::string_view text) {
  return text.find('/') == text.npos;
}
constexpr Pattern kGroup{has_no_slash, "^[^/]*$"};

// --- requirements and taints

size_t count(const json& self, const char* name) {
  const auto it = self.find(name);
  return it == self.end() ? 0 : it->size();
}

bool is_comparison(const json& self) {
  const std::string op = self.value("operator", "");
  return op == "Gt" || op == "Lt" || op == "Gte" || op == "Lte";
}

bool one_whole_number(const json& self) {
  if (count(self, "values") != 1 || !self["values"][0].is_string()) return false;
  const auto& text = self["values"][0].get_ref<const std::string&>();
  return !text.empty() && text.size() < 19 && text.find_first_not_of("0123456789") == text.npos;
}

constexpr Property kValue{.pattern = &kLabelValue};  // a single value becomes a label
constexpr Property kRequirementFields[] = {
    {.name = "key", .required = true, .pattern = &kRequirementKey},
    {.name = "operator", .required = true, .one_of = "In|NotIn|Exists|DoesNotExist|Gt|Lt|Gte|Lte"},
    {.name = "values", .shape = Shape::kList, .item = &kValue},
    {.name = "minValues", .shape = Shape::kInt, .min = 1, .max = 50},
};
constexpr Condition kRequirementConditions[] = {
    {"requirements with operator 'In' must have a value defined",
     [](const json& self) { return self.value("operator", "") != "In" || count(self, "values") > 0; }, "values"},
    {"requirements operator 'Gt', 'Lt', 'Gte' or 'Lte' must have a single non-negative integer value",
     [](const json& self) { return !is_comparison(self) || one_whole_number(self); }, "values"},
    {"requirements with 'minValues' must have at least that many values specified in the 'values' field",
     [](const json& self) {
       return self.value("operator", "") != "In" || !self.contains("minValues") ||
              static_cast<int64_t>(count(self, "values")) >= self["minValues"].get<int64_t>();
     },
     "minValues"},
};
constexpr Object kRequirement{.fields = kRequirementFields, .conditions = kRequirementConditions};

constexpr Property kTaintFields[] = {
    {.name = "key", .required = true, .min = 1, .pattern = &kQualifiedName},
    {.name = "value", .pattern = &kLabelValue},
    {.name = "effect", .required = true, .one_of = "NoSchedule|PreferNoSchedule|NoExecute"},
    {.name = "timeAdded", .shape = Shape::kAny},
};
constexpr Object kTaint{.fields = kTaintFields};

constexpr Property kClassRefFields[] = {
    {.name = "group", .required = true, .min = 1, .one_of = "karpenter.azure.com", .pattern = &kGroup},
    {.name = "kind", .required = true, .min = 1, .one_of = "AKSNodeClass"},
    {.name = "name", .required = true, .min = 1},
};
constexpr Object kClassRef{.fields = kClassRefFields};
// v1beta1 had apiVersion instead of group.
constexpr Property kOldClassRefFields[] = {{.name = "apiVersion"},
                                           {.name = "group", .pattern = &kGroup},
                                           {.name = "kind", .one_of = "AKSNodeClass|NodeTemplate"},
                                           {.name = "name", .required = true, .min = 1}};
constexpr Condition kOldClassRefConditions[] = {
    {"an AKSNodeClass is of group karpenter.azure.com",
     [](const json& self) {
       const std::string version = text_of(self, "apiVersion");
       const std::string group = self.contains("group") ? text_of(self, "group") : version.substr(0, version.find('/'));
       return group.empty() || group == "karpenter.azure.com" || text_of(self, "kind") == "NodeTemplate";
     },
     "apiVersion"},
};
constexpr Object kOldClassRef{.fields = kOldClassRefFields, .conditions = kOldClassRefConditions};

// --- NodePool

constexpr Property kTemplateMetadataFields[] = {
    {.name = "labels", .shape = Shape::kMap, .max = 100, .pattern = &kLabelValue, .keys = &kQualifiedName},
    {.name = "annotations", .shape = Shape::kMap},
};
constexpr Object kTemplateMetadata{.fields = kTemplateMetadataFields};
constexpr Property kTemplateSpecFields[] = {
    {.name = "requirements", .shape = Shape::kList, .required = true, .max = 100, .object = &kRequirement},
    {.name = "taints", .shape = Shape::kList, .object = &kTaint},
    {.name = "startupTaints", .shape = Shape::kList, .object = &kTaint},
    {.name = "nodeClassRef", .shape = Shape::kObject, .required = true, .object = &kClassRef},
    {.name = "expireAfter", .pattern = &kExpiry, .default_json = R"("720h")"},
    {.name = "terminationGracePeriod", .pattern = &kSimpleDuration},
};
constexpr Object kTemplateSpec{.fields = kTemplateSpecFields};
constexpr Property kTemplateFields[] = {
    {.name = "metadata", .shape = Shape::kObject, .object = &kTemplateMetadata},
    {.name = "spec", .shape = Shape::kObject, .required = true, .object = &kTemplateSpec},
};
constexpr Object kTemplate{.fields = kTemplateFields};

bool is_budget_nodes(std::string_view text) {
  const bool percent = text.ends_with('%');
  if (percent) text.remove_suffix(1);
  if (text.empty() || text.find_first_not_of("0123456789") != text.npos) return false;
  int64_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return !percent || number <= 100;
}
constexpr Pattern kBudgetNodes{is_budget_nodes, "^((100|[0-9]{1,2})%|[0-9]+)$"};

// Schedules have a granularity of minutes, so seconds may only be the 0s that Go writes.
bool is_budget_duration(std::string_view text) {
  if (text.ends_with("0s") && text.size() > 2 && (text[text.size() - 3] == 'm' || text[text.size() - 3] == 'h'))
    text.remove_suffix(2);
  return is_simple_duration(text) && text.find('s') == text.npos;
}
constexpr Pattern kBudgetDuration{is_budget_duration, "^((([0-9]+(h|m))|([0-9]+h[0-9]+m))(0s)?)$"};
// Five fields, or the name of a recurring time.
bool is_schedule(std::string_view text) {
  if (text.starts_with('@')) {
    constexpr std::string_view kNames[] = {"@annually", "@yearly",   "@monthly", "@weekly",
                                           "@daily",    "@midnight", "@hourly"};
    return std::find(std::begin(kNames), std::end(kNames), text) != std::end(kNames);
  }
  return words(text).size() == 5;
}
constexpr Pattern kSchedule{is_schedule, "a cron schedule of five fields, or @daily and the like"};
constexpr Property kReason{.one_of = "Underutilized|Empty|Drifted"};
constexpr Property kBudgetFields[] = {
    {.name = "nodes", .required = true, .pattern = &kBudgetNodes, .default_json = R"("10%")"},
    {.name = "reasons", .shape = Shape::kList, .max = 50, .item = &kReason},
    {.name = "schedule", .min = 1, .pattern = &kSchedule},
    {.name = "duration", .pattern = &kBudgetDuration},
};
constexpr Condition kBudgetConditions[] = {
    {"'schedule' must be set with 'duration'",
     [](const json& self) { return self.contains("schedule") == self.contains("duration"); }, "schedule"},
};
constexpr Object kBudget{.fields = kBudgetFields, .conditions = kBudgetConditions};
constexpr Property kDisruptionFields[] = {
    {.name = "budgets", .shape = Shape::kList, .max = 50, .object = &kBudget, .default_json = R"([{"nodes": "10%"}])"},
    {.name = "consolidateAfter", .pattern = &kExpiry},
    {.name = "consolidationPolicy", .one_of = "WhenEmpty|WhenEmptyOrUnderutilized|WhenUnderutilized"},
    {.name = "expireAfter", .pattern = &kExpiry},
};
constexpr Object kDisruption{.fields = kDisruptionFields};
constexpr Property kAmount{.shape = Shape::kQuantity};
constexpr Property kPoolSpecFields[] = {
    {.name = "template", .shape = Shape::kObject, .required = true, .object = &kTemplate},
    {.name = "disruption", .shape = Shape::kObject, .object = &kDisruption},
    {.name = "limits", .shape = Shape::kMap, .item = &kAmount},
    {.name = "weight", .shape = Shape::kInt, .min = 1, .max = 100},
    {.name = "replicas", .shape = Shape::kInt, .min = 0},
};
constexpr Condition kPoolSpecConditions[] = {
    {"'weight' is not supported on static NodePools (with 'replicas')",
     [](const json& self) { return !self.contains("replicas") || !self.contains("weight"); }, "weight"},
    {"only 'limits.nodes' is supported on static NodePools (with 'replicas')",
     [](const json& self) {
       const json limits = self.value("limits", json::object());
       return !self.contains("replicas") || limits.empty() || (limits.size() == 1 && limits.contains("nodes"));
     },
     "limits"},
};
constexpr Object kPoolSpec{.fields = kPoolSpecFields, .conditions = kPoolSpecConditions};
constexpr Property kNodePoolFields[] = {
    {.name = "apiVersion", .required = true, .one_of = "karpenter.sh/v1|karpenter.sh/v1beta1"},
    {.name = "kind", .required = true, .one_of = "NodePool"},
    {.name = "metadata", .shape = Shape::kAny},
    {.name = "spec", .shape = Shape::kObject, .required = true, .object = &kPoolSpec},
    {.name = "status", .shape = Shape::kAny},
};

// v1beta1 differs only in the template's spec: kubelet settings, and no group in the class reference.
constexpr Property kBetaTemplateSpecFields[] = {
    {.name = "requirements", .shape = Shape::kList, .max = 100, .object = &kRequirement},
    {.name = "taints", .shape = Shape::kList, .object = &kTaint},
    {.name = "startupTaints", .shape = Shape::kList, .object = &kTaint},
    {.name = "nodeClassRef", .shape = Shape::kObject, .required = true, .object = &kOldClassRef},
    {.name = "kubelet", .shape = Shape::kObject, .object = &kPoolKubeletObject},
    {.name = "resources", .shape = Shape::kAny},
    {.name = "expireAfter", .pattern = &kExpiry},
    {.name = "terminationGracePeriod", .pattern = &kSimpleDuration},
};
constexpr Object kBetaTemplateSpec{.fields = kBetaTemplateSpecFields};
constexpr Property kBetaTemplateFields[] = {
    {.name = "metadata", .shape = Shape::kObject, .object = &kTemplateMetadata},
    {.name = "spec", .shape = Shape::kObject, .required = true, .object = &kBetaTemplateSpec},
};
constexpr Object kBetaTemplate{.fields = kBetaTemplateFields};
constexpr Property kBetaPoolSpecFields[] = {
    {.name = "template", .shape = Shape::kObject, .required = true, .object = &kBetaTemplate},
    {.name = "disruption", .shape = Shape::kObject, .object = &kDisruption},
    {.name = "limits", .shape = Shape::kMap, .item = &kAmount},
    {.name = "weight", .shape = Shape::kInt, .min = 1, .max = 100},
};
constexpr Object kBetaPoolSpec{.fields = kBetaPoolSpecFields};
constexpr Property kBetaNodePoolFields[] = {
    {.name = "apiVersion", .required = true},
    {.name = "kind", .required = true},
    {.name = "metadata", .shape = Shape::kAny},
    {.name = "spec", .shape = Shape::kObject, .required = true, .object = &kBetaPoolSpec},
    {.name = "status", .shape = Shape::kAny},
};

// --- NodeClaim

constexpr Property kRequest{.shape = Shape::kQuantity, .min = 0};
constexpr Property kClaimResourcesFields[] = {{.name = "requests", .shape = Shape::kMap, .item = &kRequest}};
constexpr Object kClaimResources{.fields = kClaimResourcesFields};
constexpr Property kClaimSpecFields[] = {
    {.name = "requirements", .shape = Shape::kList, .max = 100, .object = &kRequirement},
    {.name = "taints", .shape = Shape::kList, .object = &kTaint},
    {.name = "startupTaints", .shape = Shape::kList, .object = &kTaint},
    {.name = "nodeClassRef", .shape = Shape::kObject, .object = &kOldClassRef},
    {.name = "resources", .shape = Shape::kObject, .object = &kClaimResources},
    {.name = "expireAfter", .pattern = &kExpiry},
    {.name = "terminationGracePeriod", .pattern = &kSimpleDuration},
    {.name = "kubelet", .shape = Shape::kAny},
};
constexpr Object kClaimSpec{.fields = kClaimSpecFields};
constexpr Property kClaimFields[] = {
    {.name = "apiVersion", .one_of = "karpenter.sh/v1|karpenter.sh/v1beta1|karpenter.sh/v1alpha5"},
    {.name = "kind", .one_of = "NodeClaim|Machine"},
    {.name = "metadata", .shape = Shape::kAny},
    {.name = "spec", .shape = Shape::kObject, .object = &kClaimSpec},
    {.name = "status", .shape = Shape::kAny},
};

// --- Provisioner

constexpr Property kProvisionerLimitsFields[] = {{.name = "resources", .shape = Shape::kMap, .item = &kAmount}};
constexpr Object kProvisionerLimits{.fields = kProvisionerLimitsFields};
constexpr Property kProvisionerSpecFields[] = {
    {.name = "labels", .shape = Shape::kMap, .pattern = &kLabelValue, .keys = &kQualifiedName},
    {.name = "annotations", .shape = Shape::kMap},
    {.name = "requirements", .shape = Shape::kList, .object = &kRequirement},
    {.name = "taints", .shape = Shape::kList, .object = &kTaint},
    {.name = "startupTaints", .shape = Shape::kList, .object = &kTaint},
    {.name = "kubeletConfiguration", .shape = Shape::kObject, .object = &kPoolKubeletObject},
    {.name = "providerRef", .shape = Shape::kObject, .object = &kOldClassRef},
    {.name = "limits", .shape = Shape::kObject, .object = &kProvisionerLimits},
    {.name = "ttlSecondsAfterEmpty", .shape = Shape::kInt, .min = 0},
    {.name = "ttlSecondsUntilExpired", .shape = Shape::kInt, .min = 0},
    {.name = "consolidation", .shape = Shape::kAny},
    {.name = "weight", .shape = Shape::kInt, .min = 1, .max = 100},
};
constexpr Object kProvisionerSpec{.fields = kProvisionerSpecFields};
constexpr Property kProvisionerFields[] = {
    {.name = "apiVersion", .required = true, .one_of = "karpenter.sh/v1alpha5"},
    {.name = "kind", .required = true, .one_of = "Provisioner"},
    {.name = "metadata", .shape = Shape::kAny},
    {.name = "spec", .shape = Shape::kObject, .required = true, .object = &kProvisionerSpec},
    {.name = "status", .shape = Shape::kAny},
};

}  // namespace

const Object kNodePoolObject{.fields = kNodePoolFields};
const Object kBetaNodePoolObject{.fields = kBetaNodePoolFields};
const Object kNodeClaimObject{.fields = kClaimFields};
const Object kProvisionerObject{.fields = kProvisionerFields};

}  // namespace sunup::fleet

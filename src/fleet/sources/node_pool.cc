#include "fleet/sources/node_pool.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "fleet/sources/conditions.h"
#include "fleet/sources/label_conflicts.h"
#include "fleet/sources/label_keys.h"
#include "fleet/sources/node_pool_hash.h"
#include "fleet/sources/node_pool_rules.h"
#include "fleet/sources/patterns.h"

namespace sunup::fleet {
namespace {

using nlohmann::json;

const json& child(const json& from, const char* name) {
  static const json kEmpty = json::object();
  if (!from.is_object()) return kEmpty;
  const auto it = from.find(name);
  return it == from.end() || !it->is_object() ? kEmpty : *it;
}

std::map<std::string, std::string> read_map(const json& from, const char* name) {
  std::map<std::string, std::string> result;
  for (const auto& [key, value] : child(from, name).items())
    result.emplace(key, value.is_string() ? value.get<std::string>() : value.dump());
  return result;
}

std::vector<Taint> read_taints(const json& from, const char* name) {
  std::vector<Taint> taints;
  const auto it = from.find(name);
  if (it == from.end()) return taints;
  for (const json& taint : *it)
    taints.push_back({taint.value("key", ""), taint.value("value", ""), taint.value("effect", "")});
  return taints;
}

std::vector<Requirement> read_requirements(const json& from) {
  std::vector<Requirement> requirements;
  const auto it = from.find("requirements");
  if (it == from.end()) return requirements;
  for (const json& r : *it)
    requirements.push_back({std::string(stable_label(r.value("key", ""))), r.value("operator", ""),
                            r.value("values", std::vector<std::string>{})});
  return requirements;
}

NodeClassRef read_class_ref(const json& from) {
  NodeClassRef ref{from.value("group", ""), from.value("kind", ""), from.value("name", "")};
  if (ref.group.empty()) {
    const std::string version = from.value("apiVersion", "");
    ref.group = version.substr(0, version.find('/'));
  }
  return ref;
}

PoolKubelet read_kubelet(const json& from) {
  PoolKubelet kubelet;
  kubelet.cluster_dns = from.value("clusterDNS", std::vector<std::string>{});
  take(from, "maxPods", kubelet.max_pods);
  take(from, "podsPerCore", kubelet.pods_per_core);
  kubelet.system_reserved = read_map(from, "systemReserved");
  kubelet.kube_reserved = read_map(from, "kubeReserved");
  kubelet.eviction_hard = read_map(from, "evictionHard");
  kubelet.eviction_soft = read_map(from, "evictionSoft");
  kubelet.eviction_soft_grace_period = read_map(from, "evictionSoftGracePeriod");
  take(from, "evictionMaxPodGracePeriod", kubelet.eviction_max_pod_grace_period);
  take(from, "imageGCHighThresholdPercent", kubelet.image_gc_high_threshold_percent);
  take(from, "imageGCLowThresholdPercent", kubelet.image_gc_low_threshold_percent);
  take(from, "cpuCFSQuota", kubelet.cpu_cfs_quota);
  return kubelet;
}

void check_restricted(const json& spec, const std::string& path, const Document& doc, Findings& findings,
                      std::initializer_list<std::string_view> allowed = {}) {
  const auto it = spec.find("requirements");
  if (it == spec.end() || !it->is_array()) return;
  for (size_t i = 0; i < it->size(); ++i) {
    const std::string key = text_of((*it)[i], "key");
    if (std::find(allowed.begin(), allowed.end(), key) != allowed.end()) continue;
    if (const auto why = restricted_label(key); !why.empty())
      report(findings, Severity::kError, doc, fmt::format("{}.requirements[{}].key", path, i), why,
             fmt::format("the key '{}' is not allowed", key));
  }
}

// No VM has an unknown capacity type. An unknown type beside a known one has no effect.
void check_capacity_type(const json& spec, const std::string& path, const Document& doc, Findings& findings) {
  const auto it = spec.find("requirements");
  if (it == spec.end() || !it->is_array()) return;
  for (size_t i = 0; i < it->size(); ++i) {
    const json& requirement = (*it)[i];
    if (text_of(requirement, "key") != "karpenter.sh/capacity-type") continue;
    const json values = requirement.value("values", json::array());
    if (!values.is_array()) continue;
    const auto known = [](const json& value) { return value == "spot" || value == "on-demand" || value == "reserved"; };
    const bool none = text_of(requirement, "operator") == "In" && std::none_of(values.begin(), values.end(), known);
    for (size_t j = 0; j < values.size(); ++j)
      if (values[j].is_string() && !known(values[j]))
        report(findings, none ? Severity::kError : Severity::kWarning, doc,
               fmt::format("{}.requirements[{}].values[{}]", path, i, j), "enum",
               fmt::format("is '{}', must be spot, on-demand or reserved", values[j].get<std::string>()));
  }
}

const json& requirements_of(const json& spec) {
  static const json kNone = json::array();
  const auto it = spec.find("requirements");
  return it == spec.end() ? kNone : *it;
}

// All kinds of objects have metadata, and its maps are always checked.
void check_metadata(const json& object, const Document& doc, Findings& findings) {
  const auto metadata = object.find("metadata");
  if (metadata == object.end() || !metadata->is_object()) return;
  for (const char* name : {"labels", "annotations"})
    if (const auto it = metadata->find(name); it != metadata->end() && !it->is_object())
      report(findings, Severity::kError, doc, fmt::format("metadata.{}", name), "type", "must be a map");
}

// The labels of a claim become labels of the node.
void check_labels(const json& labels, const Document& doc, Findings& findings) {
  for (const auto& [key, value] : labels.items()) {
    const std::string path = "metadata.labels." + key;
    if (!is_qualified_name(key))
      report(findings, Severity::kError, doc, path, "key",
             fmt::format("the key '{}' does not match {}", key, kQualifiedName.shown));
    if (!value.is_string())
      report(findings, Severity::kError, doc, path, "type", "must be a string", "put it in quotes");
    else if (!contract::is_label_value(value.get_ref<const std::string&>()))
      report(findings, Severity::kError, doc, path, "pattern",
             fmt::format("'{}' does not match {}", value.get_ref<const std::string&>(), kLabelValue.shown));
  }
}

void check_restricted_labels(const json& labels, const std::string& path, const Document& doc, Findings& findings) {
  for (const auto& [key, value] : labels.items())
    if (const auto why = restricted_label(key); !why.empty())
      report(findings, Severity::kError, doc, path + "." + key, why, "this label may not be set");
}

// Valid fields that are not part of a launch template, because only an autoscaler uses them. One note lists them all.
void note_lifecycle(const json& object, std::initializer_list<const char*> paths, const json& requirements,
                    const std::string& requirements_path, const Document& doc, Findings& findings) {
  std::vector<std::string> named;
  for (const char* path : paths) {
    if (!object.contains(json::json_pointer(path))) continue;
    named.emplace_back(path + 1);
    std::replace(named.back().begin(), named.back().end(), '/', '.');
  }
  // An autoscaler keeps that many values until it has chosen; a single node has only one.
  for (size_t i = 0; i < requirements.size(); ++i)
    if (requirements[i].contains("minValues")) named.push_back(fmt::format("{}[{}].minValues", requirements_path, i));
  if (named.empty()) return;
  report(findings, Severity::kNote, doc, named.front(), "lifecycle",
         named.size() == 1 ? "is handled by the autoscaler; it is not part of a launch template"
                           : "are handled by the autoscaler; they are not part of a launch template");
  for (size_t i = 1; i < named.size(); ++i) findings.back().path.append(", ").append(named[i]);
}

}  // namespace

std::string Taint::text() const {
  std::string text = key;
  if (!value.empty()) text += "=" + value;
  if (!effect.empty() || !value.empty()) text += ":" + effect;
  return text;
}

bool Requirement::allows(const std::optional<std::string>& value) const {
  const bool size = key == "node.kubernetes.io/instance-type" || key == "karpenter.azure.com/sku-name";
  const auto listed = [&] {
    return value && std::any_of(values.begin(), values.end(), [&](const std::string& one) {
             return size ? equal_ignoring_case(one, *value) : one == *value;
           });
  };
  if (op == "In") return listed();
  if (op == "NotIn") return !listed();
  if (op == "Exists") return value.has_value();
  if (op == "DoesNotExist") return !value.has_value();
  if (!value || values.empty()) return false;
  const auto have = as_number<int64_t>(*value);
  const auto want = as_number<int64_t>(values[0]);
  if (!have || !want) return false;
  return op == "Gt" ? *have > *want : op == "Lt" ? *have < *want : op == "Gte" ? *have >= *want : *have <= *want;
}

std::optional<NodePool> read_node_pool(const Document& doc, Findings& findings) {
  const bool provisioner = doc.kind() == "Provisioner";
  const bool beta = doc.api_version() == "karpenter.sh/v1beta1";
  const Object& rules = provisioner ? kProvisionerObject : beta ? kBetaNodePoolObject : kNodePoolObject;
  json object = doc.value;
  apply_defaults(rules, object);

  Findings found;
  check(rules, object, "", doc, found);
  check_name(doc, found);
  const json& spec = child(object, "spec");
  const json& tmpl = provisioner ? spec : child(spec, "template");
  const json& node = provisioner ? spec : child(tmpl, "spec");
  const json& metadata = provisioner ? spec : child(tmpl, "metadata");
  check_restricted(node, provisioner ? "spec" : "spec.template.spec", doc, found);
  check_capacity_type(node, provisioner ? "spec" : "spec.template.spec", doc, found);
  check_restricted_labels(child(metadata, "labels"), provisioner ? "spec.labels" : "spec.template.metadata.labels", doc,
                          found);
  const std::string requirements_path = provisioner ? "spec.requirements" : "spec.template.spec.requirements";
  if (!has_errors(found))
    check_label_conflicts(child(metadata, "labels"), read_requirements(node), requirements_path, doc, found);
  const char* kubelet = provisioner ? "kubeletConfiguration" : "kubelet";
  if (child(node, kubelet).contains("containerRuntime"))
    report(found, Severity::kWarning, doc, fmt::format("spec.{}.containerRuntime", kubelet), "no-effect",
           "is accepted, but every node runs containerd");
  const bool sound = !has_errors(found);
  if (sound)
    note_lifecycle(doc.value,
                   {"/spec/template/metadata/annotations", "/spec/template/spec/expireAfter",
                    "/spec/template/spec/terminationGracePeriod", "/spec/disruption", "/spec/limits", "/spec/weight",
                    "/spec/replicas", "/spec/annotations", "/spec/ttlSecondsAfterEmpty", "/spec/ttlSecondsUntilExpired",
                    "/spec/consolidation"},
                   requirements_of(node), requirements_path, doc, found);
  findings.insert(findings.end(), std::make_move_iterator(found.begin()), std::make_move_iterator(found.end()));
  if (!sound) return std::nullopt;

  NodePool pool;
  pool.name = doc.name();
  pool.labels = read_map(metadata, "labels");
  pool.requirements = read_requirements(node);
  pool.taints = read_taints(node, "taints");
  pool.startup_taints = read_taints(node, "startupTaints");
  pool.node_class = read_class_ref(child(node, provisioner ? "providerRef" : "nodeClassRef"));
  // Current pools have no such field: a finding has reported that it has no effect.
  if ((provisioner || beta) && node.contains(kubelet)) pool.kubelet = read_kubelet(node[kubelet]);
  if (!provisioner && !beta)
    if (auto hash = node_pool_hash(tmpl)) pool.hash = *hash;
  return pool;
}

std::optional<NodeClaim> read_node_claim(const Document& doc, Findings& findings) {
  Findings found;
  check(kNodeClaimObject, doc.value, "", doc, found);
  check_name(doc, found);
  check_capacity_type(child(doc.value, "spec"), "spec", doc, found);
  const bool machine = doc.kind() == "Machine" || doc.api_version() == "karpenter.sh/v1alpha5";
  check_restricted(child(doc.value, "spec"), "spec", doc, found,
                   /*allowed=*/{"karpenter.sh/nodepool", machine ? "karpenter.sh/provisioner-name" : ""});
  if (doc.value.is_object()) check_metadata(doc.value, doc, found);
  check_labels(child(child(doc.value, "metadata"), "labels"), doc, found);
  // A complete object must have the fields that the API requires; a short one, without a version, may leave them to its
  // pool.
  if (doc.api_version() == "karpenter.sh/v1" && !child(doc.value, "spec").contains("nodeClassRef"))
    report(found, Severity::kError, doc, "spec.nodeClassRef", "required", "must be set");
  if (child(doc.value, "spec").contains("kubelet"))
    report(found, Severity::kWarning, doc, "spec.kubelet", "no-effect",
           "is accepted, but kubelet's settings come from the node class and the pool");
  const bool sound = !has_errors(found);
  if (sound)
    note_lifecycle(doc.value, {"/spec/expireAfter", "/spec/terminationGracePeriod"},
                   requirements_of(child(doc.value, "spec")), "spec.requirements", doc, found);
  if (!found.empty())
    findings.insert(findings.end(), std::make_move_iterator(found.begin()), std::make_move_iterator(found.end()));
  if (!sound) return std::nullopt;

  NodeClaim claim;
  const json& metadata = child(doc.value, "metadata");
  const json& spec = child(doc.value, "spec");
  claim.name = doc.name();
  claim.labels = read_map(metadata, "labels");
  if (const auto it = claim.labels.find("karpenter.sh/nodepool"); it != claim.labels.end()) claim.pool = it->second;
  claim.requirements = read_requirements(spec);
  claim.taints = read_taints(spec, "taints");
  claim.startup_taints = read_taints(spec, "startupTaints");
  claim.node_class = read_class_ref(child(spec, "nodeClassRef"));
  claim.requests = read_map(child(spec, "resources"), "requests");
  return claim;
}

NodeClaim claim_of(const NodePool& pool) {
  NodeClaim claim;
  claim.name = pool.name;
  claim.pool = pool.name;
  claim.labels = pool.labels;
  claim.labels["karpenter.sh/nodepool"] = pool.name;
  claim.requirements = pool.requirements;
  claim.taints = pool.taints;
  claim.startup_taints = pool.startup_taints;
  claim.node_class = pool.node_class;
  return claim;
}

}  // namespace sunup::fleet

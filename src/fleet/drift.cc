#include "fleet/drift.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "contract/diff.h"
#include "fleet/bootstrap_variables.h"
#include "fleet/drift_state.h"
#include "fleet/node_labels.h"

namespace sunup::fleet {
namespace {

using nlohmann::json;

// The first row whose name begins a field's name decides about it.
struct Rule {
  std::string_view field;
  std::string_view reason;
  DriftAction action;
};
constexpr Rule kRules[] = {
    {"nodeClassHash", "NodeClassDrift", DriftAction::kReplace},
    {"nodePoolHash", "NodePoolDrift", DriftAction::kReplace},
    {"kubernetesVersion", "K8sVersionDrift", DriftAction::kReplace},
    {"image.id", "ImageDrift", DriftAction::kReplace},
    {"subnetID", "NodeClassDrift", DriftAction::kReplace},
    {"osDisk.", "NodeClassDrift", DriftAction::kReplace},
    {"security.", "NodeClassDrift", DriftAction::kReplace},
    {"vmSize", "RequirementsDrift", DriftAction::kReplace},
    {"capacityType", "RequirementsDrift", DriftAction::kReplace},
    {"bootstrap", "ClusterConfigDrift", DriftAction::kNone},
    {"tags.", "InPlaceUpdate", DriftAction::kInPlace},
    {"identities.", "InPlaceUpdate", DriftAction::kInPlace},
    {"labels.kubernetes.azure.com/kubelet-identity-client-id", "KubeletIdentityDrift", DriftAction::kReplace},
    {"labels.kubernetes.azure.com/os-sku", "ImageDrift", DriftAction::kReplace},
    {"labels.kubernetes.azure.com/network-stateless-cni", "K8sVersionDrift", DriftAction::kReplace},
    {"labels.kubernetes.azure.com/mode", "NodePoolDrift", DriftAction::kReplace},
    {"labels.kubernetes.azure.com/", "ClusterConfigDrift", DriftAction::kNone},
    {"labels.node.kubernetes.io/instance-type", "RequirementsDrift", DriftAction::kReplace},
    {"labels.karpenter.azure.com/sku-", "RequirementsDrift", DriftAction::kReplace},
    {"labels.", "NodePoolDrift", DriftAction::kReplace},
    {"kubeletFlags.--register-with-taints", "NodePoolDrift", DriftAction::kReplace},
    {"kubeletFlags.--cluster-dns", "ClusterConfigDrift", DriftAction::kNone},
    {"kubeletFlags.--cloud-config", "K8sVersionDrift", DriftAction::kReplace},
    {"kubeletFlags.--pod-infra-container-image", "K8sVersionDrift", DriftAction::kReplace},
    {"kubeletFlags.--keep-terminated-pod-volumes", "K8sVersionDrift", DriftAction::kReplace},
    {"kubeletFlags.--image-credential-provider", "K8sVersionDrift", DriftAction::kReplace},
    {"kubeletFlags.--feature-gates", "K8sVersionDrift", DriftAction::kReplace},
    {"kubeletFlags.--azure-container-registry-config", "K8sVersionDrift", DriftAction::kReplace},
    {"kubeletFlags.", "NodeClassDrift", DriftAction::kReplace},
    {"variables.USER_ASSIGNED_IDENTITY_ID", "KubeletIdentityDrift", DriftAction::kReplace},
    {"variables.KUBERNETES_VERSION", "K8sVersionDrift", DriftAction::kReplace},
    {"variables.KUBE_BINARY_URL", "K8sVersionDrift", DriftAction::kReplace},
    {"variables.CREDENTIAL_PROVIDER_DOWNLOAD_URL", "K8sVersionDrift", DriftAction::kReplace},
    {"variables.SUBNET", "NodeClassDrift", DriftAction::kReplace},
    {"variables.VIRTUAL_NETWORK", "NodeClassDrift", DriftAction::kReplace},
    {"variables.GPU_", "NodeClassDrift", DriftAction::kReplace},
    {"variables.CONFIG_GPU_DRIVER_IF_NEEDED", "NodeClassDrift", DriftAction::kReplace},
    {"variables.CONTAINERD_CONFIG_CONTENT", "NodeClassDrift", DriftAction::kReplace},
    {"variables.", "ClusterConfigDrift", DriftAction::kNone},
};

const Rule& rule_of(std::string_view field) {
  for (const Rule& rule : kRules)
    if (field.starts_with(rule.field)) return rule;
  return kRules[std::size(kRules) - 1];
}

bool secret(std::string_view field) {
  constexpr std::string_view kPrefix = "variables.";
  if (!field.starts_with(kPrefix)) return false;
  field.remove_prefix(kPrefix.size());
  return field.starts_with("CUSTOM_CA_CERT_") ||
         std::any_of(var_rows().begin(), var_rows().end(),
                     [field](const VarRow& row) { return row.secret && row.env == field; });
}

// An AKSNodeConfig's paths, judged as the variables that say the same.
Rule config_rule(std::string_view path) {
  const auto under = [path](std::string_view part) { return path.find(part) != path.npos; };
  if (under("assigned_identity_id")) return {"", "KubeletIdentityDrift", DriftAction::kReplace};
  if (under("kubernetes_version") || under("kube_binary_config")) return {"", "K8sVersionDrift", DriftAction::kReplace};
  if (const size_t label = path.find("kubelet_node_labels[\""); label != path.npos) {
    std::string_view key = path.substr(label + 21);
    return rule_of(fmt::format("labels.{}", key.substr(0, key.find('"'))));
  }
  if (const size_t flag = path.find("kubelet_flags[\""); flag != path.npos) {
    std::string_view key = path.substr(flag + 15);
    return rule_of(fmt::format("kubeletFlags.{}", key.substr(0, key.find('"'))));
  }
  if (under("custom_linux_os_config") || under("local_dns_profile") || under("gpu_config") ||
      under("enable_artifact_streaming") || under("cluster_network_config.subnet") ||
      under("cluster_network_config.vnet"))
    return {"", "NodeClassDrift", DriftAction::kReplace};
  if (under("vm_size")) return {"", "RequirementsDrift", DriftAction::kReplace};
  return {"", "ClusterConfigDrift", DriftAction::kNone};
}

// Labels that no launch template sets, or that tell nodes of one kind apart, are no drift.
bool belongs_to_one_node(std::string_view field) {
  return field == "labels.kubernetes.io/hostname" || field.starts_with("labels.topology.") ||
         field.starts_with("labels.failure-domain.") || field == "labels.karpenter.sh/registered" ||
         field == "labels.karpenter.sh/initialized";
}

std::string_view action_name(DriftAction action) {
  return action == DriftAction::kReplace ? "replace" : action == DriftAction::kInPlace ? "in-place" : "none";
}

}  // namespace

bool DriftReport::needs_new_node() const {
  return std::any_of(fields.begin(), fields.end(),
                     [](const DriftedField& field) { return field.action == DriftAction::kReplace; });
}

std::string_view DriftReport::reason() const {
  for (const std::string_view wanted : {"NodePoolDrift", "RequirementsDrift", "NodeClassDrift", "K8sVersionDrift",
                                        "KubeletIdentityDrift", "ImageDrift"})
    for (const DriftedField& field : fields)
      if (field.action == DriftAction::kReplace && field.reason == wanted) return field.reason;
  return fields.empty() ? std::string_view() : fields.front().reason;
}

Result<DriftReport> compare_drift(const json& was_document, const json& is_document) {
  auto was = read_drift_state(was_document);
  if (!was) return std::move(was).error().in("the first");
  auto is = read_drift_state(is_document);
  if (!is) return std::move(is).error().in("the second");
  // A live node is what was; the template is what should be, whichever order they came in.
  if (was->whole && !is->whole) std::swap(*was, *is);

  DriftReport report;
  const auto text = [](const DriftState& state, const std::string& field) {
    const auto it = state.fields.find(field);
    return it == state.fields.end() ? std::string() : it->second;
  };
  // Hashes of different versions cannot be compared; then only the fields themselves are.
  const auto comparable = [&](const std::string& hash) {
    return text(*was, hash + "Version") == text(*is, hash + "Version");
  };

  bool compared = was->config && is->config;
  std::set<std::string> names;
  for (const auto& [field, value] : was->fields) names.insert(field);
  if (was->whole)
    for (const auto& [field, value] : is->fields) names.insert(field);
  for (const std::string& field : names) {
    if (belongs_to_one_node(field) || field.ends_with("HashVersion")) continue;
    if (field.ends_with("Hash") && !comparable(field)) continue;
    if (!is->whole && !is->fields.contains(field)) continue;
    if (!was->whole && field.starts_with("labels.") && !is->fields.contains(field)) continue;
    compared = true;
    const std::string before = text(*was, field);
    const std::string now = text(*is, field);
    if (before == now) continue;
    const Rule& rule = rule_of(field);
    // A node that never had an identity label is not judged by it.
    if (rule.reason == "KubeletIdentityDrift" && before.empty()) continue;
    const bool hidden = secret(field);
    report.fields.push_back({field, hidden ? "<secret>" : before, hidden ? "<secret>" : now, rule.reason, rule.action});
  }
  if (was->config && is->config) {
    for (const contract::Difference& difference : contract::diff(*was->config, *is->config)) {
      const Rule rule = config_rule(difference.path);
      report.fields.push_back({"nodeConfig" + difference.path.substr(1), difference.left.value_or(""),
                               difference.right.value_or(""), rule.reason, rule.action});
    }
  }
  // "No drift" is an answer about something.
  if (!compared)
    return Error("the two have nothing in common that could be compared")
        .with_hint("give what `sunup resolve` printed, or the node's Node and NodeClaim with their labels and status");
  return report;
}

std::string drift_text(const DriftReport& report) {
  if (!report.drifted()) return "no drift\n";
  const auto cut = [](const std::string& value) { return value.size() > 48 ? value.substr(0, 45) + "..." : value; };
  size_t field_width = 5;
  size_t reason_width = 6;
  size_t was_width = 3;
  size_t is_width = 2;
  for (const DriftedField& field : report.fields) {
    field_width = std::max(field_width, field.field.size());
    reason_width = std::max(reason_width, field.reason.size());
    was_width = std::max(was_width, cut(field.was).size());
    is_width = std::max(is_width, cut(field.is).size());
  }
  std::string text = fmt::format("{:<{}}  {:<{}}  {:<{}}  {:<{}}  {}\n", "FIELD", field_width, "WAS", was_width, "IS",
                                 is_width, "REASON", reason_width, "ACTION");
  for (const DriftedField& field : report.fields)
    text += fmt::format("{:<{}}  {:<{}}  {:<{}}  {:<{}}  {}\n", field.field, field_width, cut(field.was), was_width,
                        cut(field.is), is_width, field.reason, reason_width, action_name(field.action));
  const bool in_place = std::any_of(report.fields.begin(), report.fields.end(),
                                    [](const DriftedField& field) { return field.action == DriftAction::kInPlace; });
  text += report.needs_new_node() ? fmt::format("a new node is needed: {}\n", report.reason())
          : in_place              ? "no new node is needed: the VM can be updated in place\n"
                                  : "no new node is needed: running nodes are left as they are\n";
  return text;
}

nlohmann::ordered_json drift_json(const DriftReport& report) {
  nlohmann::ordered_json fields = nlohmann::ordered_json::array();
  for (const DriftedField& field : report.fields)
    fields.push_back({{"field", field.field},
                      {"was", field.was},
                      {"is", field.is},
                      {"reason", field.reason},
                      {"action", action_name(field.action)}});
  return {{"drifted", report.drifted()},
          {"newNodeNeeded", report.needs_new_node()},
          {"reason", report.reason()},
          {"fields", std::move(fields)}};
}

}  // namespace sunup::fleet

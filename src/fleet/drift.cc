#include "fleet/drift.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "contract/diff.h"
#include "fleet/bootstrap_variables.h"
#include "fleet/drift_state.h"
#include "fleet/image_drift.h"
#include "fleet/label_keys.h"
#include "fleet/requirements.h"

namespace sunup::fleet {
namespace {

using nlohmann::json;

// What a field follows from. Whether it has drifted shows in the cause and not in the field: a subnet, say, that comes
// from the class is drift when the class's hash has moved, and one that comes from the cluster's settings never is.
enum class Cause { kNodePool, kRequirements, kNodeClass, kVersion, kIdentity, kImage, kInPlace, kNextNode };

constexpr std::string_view reason_of(Cause cause) {
  constexpr std::string_view kNames[] = {
      "NodePoolDrifted",      "RequirementsDrifted", "NodeClassDrift", "K8sVersionDrift",
      "KubeletIdentityDrift", "ImageDrift",          "InPlaceUpdate",  "NextNode"};
  return kNames[static_cast<size_t>(cause)];
}

constexpr DriftAction action_of(Cause cause) {
  return cause == Cause::kInPlace    ? DriftAction::kInPlace
         : cause == Cause::kNextNode ? DriftAction::kNone
                                     : DriftAction::kReplace;
}

// The first row whose name begins a field's name decides about it.
struct Rule {
  std::string_view field;
  Cause cause;
};
constexpr Rule kRules[] = {
    {"nodeClassHash", Cause::kNodeClass},
    {"nodePoolHash", Cause::kNodePool},
    {"kubernetesVersion", Cause::kVersion},
    {"image.id", Cause::kImage},
    {"subnetID", Cause::kNodeClass},
    {"osDisk.diskEncryptionSetID", Cause::kNextNode},
    {"osDisk.", Cause::kNodeClass},
    {"security.", Cause::kNodeClass},
    {"vmSize", Cause::kRequirements},
    {"capacityType", Cause::kRequirements},
    {"zone", Cause::kRequirements},
    {"tags.", Cause::kInPlace},
    {"identities.", Cause::kInPlace},
    {"inPlaceUpdateHash", Cause::kInPlace},
    {"labels.kubernetes.azure.com/kubelet-identity-client-id", Cause::kIdentity},
    {"labels.kubernetes.azure.com/os-sku", Cause::kNodeClass},
    {"labels.kubernetes.azure.com/fips_enabled", Cause::kNodeClass},
    {"labels.kubernetes.azure.com/network-stateless-cni", Cause::kVersion},
    {"labels.kubernetes.azure.com/mode", Cause::kNodePool},
    {"labels.kubernetes.azure.com/", Cause::kNextNode},
    {"labels.node.kubernetes.io/instance-type", Cause::kRequirements},
    {"labels.karpenter.sh/capacity-type", Cause::kRequirements},
    {"labels.kubernetes.io/arch", Cause::kRequirements},
    {"labels.karpenter.azure.com/sku-", Cause::kRequirements},
    {"labels.karpenter.azure.com/placement-scope", Cause::kRequirements},
    {"labels.", Cause::kNodePool},
    {"kubeletFlags.--register-with-taints", Cause::kNodePool},
    {"kubeletFlags.--cluster-dns", Cause::kNextNode},
    {"kubeletFlags.--kube-reserved", Cause::kNextNode},
    {"kubeletFlags.--cloud-config", Cause::kVersion},
    {"kubeletFlags.--pod-infra-container-image", Cause::kVersion},
    {"kubeletFlags.--keep-terminated-pod-volumes", Cause::kVersion},
    {"kubeletFlags.--image-credential-provider", Cause::kVersion},
    {"kubeletFlags.--feature-gates", Cause::kVersion},
    {"kubeletFlags.--azure-container-registry-config", Cause::kVersion},
    {"kubeletFlags.", Cause::kNodeClass},
    {"variables.USER_ASSIGNED_IDENTITY_ID", Cause::kIdentity},
    {"variables.KUBERNETES_VERSION", Cause::kVersion},
    {"variables.KUBE_BINARY_URL", Cause::kVersion},
    {"variables.CREDENTIAL_PROVIDER_DOWNLOAD_URL", Cause::kVersion},
    {"variables.SUBNET", Cause::kNodeClass},
    {"variables.VIRTUAL_NETWORK", Cause::kNodeClass},
    {"variables.GPU_", Cause::kNodeClass},
    {"variables.CONFIG_GPU_DRIVER_IF_NEEDED", Cause::kNodeClass},
    {"variables.CONTAINERD_CONFIG_CONTENT", Cause::kNodeClass},
};

Cause cause_of(std::string_view field) {
  for (const Rule& rule : kRules)
    if (field.starts_with(rule.field)) return rule.cause;
  return Cause::kNextNode;
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
Cause config_cause(std::string_view path) {
  const auto under = [path](std::string_view part) { return path.find(part) != path.npos; };
  if (under("assigned_identity_id")) return Cause::kIdentity;
  if (under("kubernetes_version") || under("kube_binary_config")) return Cause::kVersion;
  if (under("custom_linux_os_config") || under("local_dns_profile") || under("gpu_config") ||
      under("enable_artifact_streaming") || under("cluster_network_config.subnet") ||
      under("cluster_network_config.vnet"))
    return Cause::kNodeClass;
  return Cause::kNextNode;
}

// The label that a field speaks of; empty when it is none.
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

// What has moved, so that fields can be judged by it.
class Evidence {
 public:
  Evidence(const DriftState& was, const DriftState& is)
      : is_(is),
        node_class_(hash_moved(was, is, "nodeClassHash")),
        node_pool_(hash_moved(was, is, "nodePoolHash")),
        version_(text(was, "kubernetesVersion") != text(is, "kubernetesVersion")) {}

  Cause judge(Cause cause, std::string_view field, const std::string& before) const {
    if (const std::string_view label = label_of(field); !label.empty() && is_.requirements) {
      const std::optional<std::string> value = before.empty() ? std::nullopt : std::optional(before);
      for (const Requirement& requirement : *is_.requirements)
        if (requirement.key == label && !requirement.allows(value)) return Cause::kRequirements;
      if (cause == Cause::kRequirements) return Cause::kNextNode;
    }
    if (cause == Cause::kNodeClass && !node_class_) return Cause::kNextNode;
    if (cause == Cause::kNodePool && !node_pool_) return Cause::kNextNode;
    if (cause == Cause::kVersion && !version_) return Cause::kNextNode;
    return cause;
  }

 private:
  // Where there are no two hashes of one version to compare, the fields have to speak for themselves.
  static bool hash_moved(const DriftState& was, const DriftState& is, const std::string& hash) {
    const std::string before = text(was, hash);
    const std::string now = text(is, hash);
    const bool comparable =
        !before.empty() && !now.empty() && text(was, hash + "Version") == text(is, hash + "Version");
    return !comparable || before != now;
  }

  const DriftState& is_;
  bool node_class_;
  bool node_pool_;
  bool version_;
};

// Labels that no launch template sets, or that tell nodes of one kind apart, are no drift.
bool belongs_to_one_node(std::string_view field) {
  return field == "labels.kubernetes.io/hostname" || field.starts_with("labels.topology.") ||
         field.starts_with("labels.failure-domain.") || field == "labels.karpenter.sh/registered" ||
         field == "labels.karpenter.sh/initialized";
}

// Labels that every node has, or that are left to controllers. One that a live node does not show may be there anyway.
bool well_known(std::string_view label) {
  return label == kInstanceTypeLabel || label == kCapacityTypeLabel || label == kZoneLabel || label == kRegionLabel ||
         label.starts_with("kubernetes.io/") || label.starts_with("karpenter.sh/") ||
         label.starts_with("karpenter.azure.com/") || label.starts_with("kubernetes.azure.com/");
}

// Today's requirements that a live node does not meet by what it shows, beyond those that a field was reported for.
void add_unmet_requirements(const DriftState& was, const DriftState& is, DriftReport& report) {
  if (was.whole || !is.requirements || was.shown_labels.empty()) return;
  for (const Requirement& requirement : *is.requirements) {
    const auto it = was.shown_labels.find(requirement.key);
    const bool shown = it != was.shown_labels.end();
    if (!shown && well_known(requirement.key)) continue;
    if (requirement.allows(shown ? std::optional(it->second) : std::nullopt)) continue;
    const auto about_it = [&](const DriftedField& field) {
      return field.reason == reason_of(Cause::kRequirements) && label_of(field.field) == requirement.key;
    };
    if (std::any_of(report.fields.begin(), report.fields.end(), about_it)) continue;
    report.fields.push_back({"requirements." + requirement.key, shown ? it->second : "", describe(requirement),
                             reason_of(Cause::kRequirements), action_of(Cause::kRequirements)});
  }
}

std::string_view action_name(DriftAction action) {
  return action == DriftAction::kReplace ? "replace" : action == DriftAction::kInPlace ? "in-place" : "none";
}

}  // namespace

bool DriftReport::needs_new_node() const {
  return std::any_of(fields.begin(), fields.end(),
                     [](const DriftedField& field) { return field.action == DriftAction::kReplace; });
}

bool DriftReport::drifted() const {
  return std::any_of(fields.begin(), fields.end(),
                     [](const DriftedField& field) { return field.action != DriftAction::kNone; });
}

std::string_view DriftReport::reason() const {
  for (const Cause cause : {Cause::kNodePool, Cause::kRequirements, Cause::kNodeClass, Cause::kVersion,
                            Cause::kIdentity, Cause::kImage, Cause::kInPlace})
    for (const DriftedField& field : fields)
      if (field.reason == reason_of(cause)) return field.reason;
  return "";
}

Result<DriftReport> compare_drift(const json& was_document, const json& is_document) {
  auto was = read_drift_state(was_document);
  if (!was) return std::move(was).error().in("the first");
  auto is = read_drift_state(is_document);
  if (!is) {
    Error error = std::move(is).error().in("the second");
    if (error.hint.starts_with("give what"))
      error.hint = "give the launch template of today, as `sunup resolve` prints it";
    return error;
  }
  // A live node is what was; the template is what should be, whichever order they came in.
  if (was->whole && !is->whole) std::swap(*was, *is);

  DriftReport report;
  if (was->deleting) {
    report.deleting = true;
    return report;
  }
  const Evidence evidence(*was, *is);
  const auto add = [&](const std::string& field, std::string before, std::string now, Cause cause) {
    const Cause judged = evidence.judge(cause, field, before);
    // A live node need not have what the next one would be given, as long as it may have what it has.
    if (!was->whole && cause == Cause::kRequirements && judged == Cause::kNextNode) return;
    report.fields.push_back({field, std::move(before), std::move(now), reason_of(judged), action_of(judged)});
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
    if (field == "inPlaceUpdateHash" && was->whole) continue;  // the tags and identities tell it better
    if (field.starts_with("variables.") && (was->config || is->config)) continue;  // a config has none
    if (!is->whole && !is->fields.contains(field)) continue;
    if (!was->whole && field.starts_with("labels.") && !is->fields.contains(field)) continue;
    compared = true;
    const std::string before = text(*was, field);
    const std::string now = text(*is, field);
    if (before == now) continue;
    const Cause cause = cause_of(field);
    if (cause == Cause::kImage && of_one_release(before, now)) {
      // Another size has another image of the same list.
      if (was->whole) report.fields.push_back({field, before, now, reason_of(Cause::kNextNode), DriftAction::kNone});
      continue;
    }
    // A node that never had an identity label is not judged by it.
    if (cause == Cause::kIdentity && before.empty()) continue;
    const bool hidden = secret(field);
    add(field, hidden ? "<secret>" : before, hidden ? "<secret>" : now, cause);
  }
  if (was->config && is->config)
    for (const contract::Difference& difference : contract::diff(*was->config, *is->config))
      add("nodeConfig" + difference.path.substr(1), difference.left.value_or(""), difference.right.value_or(""),
          config_cause(difference.path));
  add_unmet_requirements(*was, *is, report);
  compared = compared || (!was->shown_labels.empty() && is->requirements && !is->requirements->empty());
  // "No drift" is an answer about something.
  if (!compared)
    return Error("the two have nothing in common that could be compared")
        .with_hint("give what `sunup resolve` printed, or the node's Node and NodeClaim with their labels and status");
  return report;
}

std::string drift_text(const DriftReport& report) {
  if (report.deleting) return "no drift: the node is being deleted\n";
  if (report.fields.empty()) return "no drift\n";
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
                                  : "no drift: running nodes are left as they are, the next one gets it\n";
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

#include "fleet/resolve/node_labels.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "base/version_changes.h"
#include "fleet/sources/crd_rules.h"
#include "fleet/sources/patterns.h"

namespace sunup::fleet {
namespace {

void offer_base(ValueMap& labels, const NodeKind& kind) {
  const Settings& settings = *kind.settings;
  const auto aks = [&labels](std::string_view name, Source source, std::string_view where, std::string value) {
    labels.offer(std::string("kubernetes.azure.com/").append(name), source, where, std::move(value));
  };
  const auto from_option = [&](std::string_view name, Option option, auto made_of) {
    offer_history(labels.at(std::string("kubernetes.azure.com/").append(name)), settings.at(option), made_of);
  };
  aks("role", Source::kHardcoded, "AKS base", "agent");
  from_option("cluster", Option::kNodeResourceGroup, resource_group_label);
  from_option("kubelet-identity-client-id", Option::kKubeletIdentityClientId, std::identity());
  aks("mode", Source::kHardcoded, "AKS base", "user");
  labels.offer("karpenter.sh/do-not-sync-taints", Source::kHardcoded, "AKS base", "true");
  aks("os-sku", Source::kComputed, "spec.imageFamily", std::string(kind.image.family->os_sku));
  aks("os-sku-requested", kind.from_class->source_of("imageFamily"), "spec.imageFamily", kind.from_class->image_family);
  aks("os-sku-effective", Source::kComputed, "spec.imageFamily", std::string(kind.image.family->effective_name));
  if (kind.from_class->fips) aks("fips_enabled", Source::kNodeClass, "spec.fipsMode", "true");
  if (settings.overlay()) {
    aks("network-subnet", Source::kComputed, "the subnet ID", kind.subnet.subnet);
    if (settings.given(Option::kVnetGuid)) from_option("nodenetwork-vnetguid", Option::kVnetGuid, std::identity());
    aks("azure-cni-overlay", Source::kComputed, "network-plugin-mode", "true");
    aks("podnetwork-type", Source::kComputed, "network-plugin-mode", "overlay");
    aks("network-stateless-cni", Source::kComputed, "the Kubernetes version",
        version_at_least(*kind.kubernetes_version, versions::kStatelessCni) ? "true" : "false");
  }
  if (settings.text(Option::kNetworkDataplane) == "cilium")
    from_option("ebpf-dataplane", Option::kNetworkDataplane, std::identity());
  aks("localdns-state", Source::kComputed, "spec.localDNS.mode", kind.local_dns ? "enabled" : "disabled");
  if (kind.artifact_streaming)
    aks("artifactstreaming-enabled", Source::kNodeClass, "spec.artifactStreaming.enabled", "true");
}

const std::string* single_value(const Requirement& requirement) {
  return requirement.op == "In" && requirement.values.size() == 1 ? &requirement.values[0] : nullptr;
}

bool fit(std::string_view key, const std::string& value) {
  return contract::kubelet_may_set(key) && contract::is_label_value(value);
}

}  // namespace

std::string resource_group_label(std::string_view name) {
  std::string label(name.substr(0, 63));
  for (char& c : label)
    if (c == '(' || c == ')') c = '-';
  if (label.empty() || std::string_view("-_.").find(label.back()) == std::string_view::npos) return label;
  if (label.size() == 63)
    label.back() = 'z';
  else
    label += 'z';
  return label;
}

ValueMap kind_labels(const NodeKind& kind) {
  ValueMap labels;
  offer_base(labels, kind);
  if (kind.from_pool != nullptr)
    for (const auto& [key, value] : kind.from_pool->labels)
      labels.offer(key, Source::kNodePool, "spec.template.metadata.labels", value);
  for (const auto& [key, value] : kind.instance_type->labels)
    labels.offer(key, Source::kInstanceType, "the instance type", value);
  if (kind.settings->given(Option::kLocation))
    offer_history(labels.at(kRegionLabel), kind.settings->at(Option::kLocation));
  return labels;
}

// A label of the pool keeps the pool as its source if the claim repeats it.
void offer_claim_labels(ValueMap& labels, const ClaimLabelInputs& in) {
  const auto pool_says = [&in](const std::string& key, const std::string& value) {
    if (in.pool == nullptr) return false;
    const auto it = in.pool->labels.find(key);
    return it != in.pool->labels.end() && it->second == value;
  };
  for (const auto& [key, value] : in.claim->labels)
    if (!pool_says(key, value))
      labels.offer(key, key == "karpenter.sh/nodepool" ? Source::kNodePool : Source::kNodeClaim,
                   key == "karpenter.sh/nodepool" ? "metadata.name" : "metadata.labels", value);
  const auto pool_requires = [&in](const Requirement& wanted) {
    return in.pool != nullptr &&
           std::any_of(in.pool->requirements.begin(), in.pool->requirements.end(), [&](const Requirement& r) {
             return r.key == wanted.key && r.op == wanted.op && r.values == wanted.values;
           });
  };
  for (const Requirement& requirement : in.claim->requirements) {
    const std::string* value = single_value(requirement);
    if (value == nullptr) continue;
    if (pool_requires(requirement))
      labels.offer(requirement.key, Source::kNodePool, "spec.template.spec.requirements", *value);
    else
      labels.offer(requirement.key, Source::kNodeClaim, "spec.requirements", *value);
  }
  const std::string priority = in.capacity_type->value == "spot" ? "spot" : "regular";
  for (const std::string_view key : {"kubernetes.azure.com/scalesetpriority", "kubernetes.azure.com/priority"})
    labels.offer(key, Source::kComputed, "the capacity type", priority);
  labels.offer(kCapacityTypeLabel, in.capacity_type->origin.source, in.capacity_type->origin.where,
               in.capacity_type->value);
  labels.offer(kPlacementScopeLabel, Source::kComputed, "the zone", std::string(placement_scope(in.zone->value)));
  if (!in.zone->value.empty()) labels.offer(kZoneLabel, in.zone->origin.source, in.zone->origin.where, in.zone->value);
}

std::vector<std::string> unfit_labels(const ValueMap& labels) {
  std::vector<std::string> unfit;
  labels.each_own([&](const std::string& key, const Value<std::string>& value) {
    if (!fit(key, *value)) unfit.push_back(key);
  });
  return unfit;
}

void drop_unfit_labels(ValueMap& labels, const std::vector<std::string>& suspects, Findings& findings) {
  std::vector<std::string> unfit = unfit_labels(labels);
  std::ranges::copy_if(suspects, std::back_inserter(unfit),
                       [&](const std::string& key) { return !labels.changes(key); });
  std::ranges::sort(unfit);
  for (const std::string& key : unfit) {
    const Value<std::string>& value = *labels.value(key);
    const Source source = value.origin().source;
    if (contract::kubelet_may_set(key))  // but kubelet does not start with it
      warn(findings, fmt::format("label {}", key), "label-value",
           fmt::format("'{}' from {} is not a valid label value; nodes do not get this label", *value,
                       in_words(value.origin())));
    else if (source >= Source::kNodePool && source != Source::kInstanceType)
      warn(findings, fmt::format("label {}", key), "kubelet-label",
           "kubelet may not set this label; it appears only if the controller adds it to the node");
    labels.erase(key);
  }
}

}  // namespace sunup::fleet

#include "fleet/resolve/catalog.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>

#include "fleet/resolve/instance_choice.h"

namespace sunup::fleet {
namespace {

// The names of the allowed sizes, in order of preference.
std::vector<std::string> named_sizes(const Constraints& constraints) {
  for (const std::string_view key : {kInstanceTypeLabel, kSkuNameLabel})
    if (const Constraint* listed = constraints.listing(key)) return listed->requirement->values;
  return {};
}

// How the requirements describe the size. A description by the architecture alone is accepted with a warning.
enum class Described { kNot, kByArchitecture, kBySize };

Described describes_sizes(const Constraints& constraints) {
  Described described = Described::kNot;
  for (const Constraint& constraint : constraints.all()) {
    const std::string& key = constraint.requirement->key;
    if (key == kInstanceTypeLabel || key.starts_with("karpenter.azure.com/sku-") ||
        key.starts_with("kubernetes.azure.com/sku-"))
      return Described::kBySize;
    if (key == "kubernetes.io/arch") described = Described::kByArchitecture;
  }
  return described;
}

template <class T>
Result<const T*> find(const std::map<std::string, T>& from, const std::string& name, std::string_view what) {
  if (const auto it = from.find(name); it != from.end()) return &it->second;
  if (name.empty() && from.size() == 1) return &from.begin()->second;
  if (name.empty()) return Error(fmt::format("no {} is named, but {} are given", what, from.size()));
  return Error(fmt::format("{} {} is not one of the given ones", what, name));
}

// The claim that the controller of the pool would have made: with the requirements and taints of the pool that the
// claim does not contain. Without the pool's label a claim would get only the labels of the pool.
NodeClaim completed(NodeClaim claim, const NodePool& pool) {
  claim.pool = pool.name;
  claim.labels["karpenter.sh/nodepool"] = pool.name;
  const auto asked = [&claim](const std::string& key) {
    return std::ranges::find(claim.requirements, key, &Requirement::key) != claim.requirements.end();
  };
  std::vector<Requirement> requirements;
  std::ranges::copy_if(pool.requirements, std::back_inserter(requirements),
                       [&](const Requirement& requirement) { return !asked(requirement.key); });
  claim.requirements.insert(claim.requirements.begin(), requirements.begin(), requirements.end());
  const auto add_taints = [](std::vector<Taint>& to, const std::vector<Taint>& from) {
    std::set<Taint> there(to.begin(), to.end());
    for (const Taint& taint : from)
      if (there.insert(taint).second) to.push_back(taint);
  };
  add_taints(claim.taints, pool.taints);
  add_taints(claim.startup_taints, pool.startup_taints);
  return claim;
}

Finding class_assumed(const NodeClass& node_class) {
  return {
      Severity::kWarning,
      "assumed",
      "spec.nodeClassRef",
      {},
      fmt::format("the claim names no node class; {} is used", node_class.name),
      fmt::format("set nodeClassRef: {{group: karpenter.azure.com, kind: AKSNodeClass, name: {}}}", node_class.name)};
}

Finding size_assumed(const InstanceType& type) {
  return {Severity::kWarning,
          "assumed",
          std::string(kInstanceTypeLabel),
          {},
          fmt::format("no source specifies the size of the node; {}, the smallest built-in size that fits, is used",
                      type.name),
          "name sizes in a requirement, or give --instance-type"};
}

// Explains a size that no source names, with a warning if the sources hardly restrict it.
void note_built_in_size(Resolution& node, const Constraints& constraints) {
  if (!named_sizes(constraints).empty()) return;
  node.size_origin = {Source::kHardcoded, "the smallest built-in size that fits"};
  if (describes_sizes(constraints) == Described::kByArchitecture)
    node.warnings.push_back(size_assumed(*node.kind->instance_type));
}

Finding pool_assumed(const NodePool& pool) {
  return {Severity::kWarning,
          "assumed",
          "metadata.labels",
          {},
          fmt::format("the claim names no node pool; the only one, {}, is used, with its requirements and taints",
                      pool.name),
          fmt::format("set label karpenter.sh/nodepool: {}", pool.name)};
}

}  // namespace

void Catalog::add(const std::vector<Document>& documents, Findings& findings) {
  for (const Document& doc : documents) {
    const std::string kind = doc.kind();
    if (kind == "NodePool" || kind == "Provisioner") {
      if (seen_before(doc, "node pool", findings)) continue;
      if (auto pool = read_node_pool(doc, findings)) {
        const std::string name = pool->name;
        pools_.insert_or_assign(name, *std::move(pool));
      }
    } else if (kind == "AKSNodeClass" || kind == "NodeTemplate") {
      if (seen_before(doc, "node class", findings)) continue;
      if (auto node_class = read_node_class(doc, findings)) {
        const std::string name = node_class->name;
        classes_.insert_or_assign(name, *std::move(node_class));
      }
    } else {
      report(findings, Severity::kError, doc, "kind", "enum",
             fmt::format("is '{}', must be NodePool or AKSNodeClass (or the older Provisioner or NodeTemplate)", kind));
    }
  }
}

bool Catalog::seen_before(const Document& doc, std::string_view kind, Findings& findings) {
  if (doc.name().empty()) return false;  // another rule refuses that
  const auto [it, is_new] = objects_.emplace(fmt::format("{} {}", kind, doc.name()), doc.value);
  if (!is_new && it->second != doc.value)
    report(findings, Severity::kError, doc, "metadata.name", "duplicate",
           fmt::format("there is another {} of this name, '{}'", kind, doc.name()), "leave one out, or rename it");
  return !is_new;
}

void Catalog::add_instance_types(std::vector<InstanceType> types) {
  for (InstanceType& type : types) types_.push_back(with_labels(std::move(type)));
}

Result<NodeClaim> Catalog::default_claim() const {
  auto pool = find(pools_, "", "node pool");
  if (!pool) return std::move(pool).error();
  return claim_of(**pool);
}

Result<Request> Catalog::request_for(const NodeClaim& claim) const {
  Request request;
  request.claim = &claim;
  if (!pools_.empty()) {
    auto pool = find(pools_, claim.pool, "node pool");
    if (!pool) return std::move(pool).error();
    request.pool = *pool;
  }
  std::string class_name = claim.node_class.name;
  if (class_name.empty() && request.pool != nullptr) class_name = request.pool->node_class.name;
  auto node_class = find(classes_, class_name, "node class");
  if (!node_class) return std::move(node_class).error();
  request.node_class = *node_class;
  return request;
}

Result<Resolution> Catalog::resolve(const Resolver& resolver, const NodeClaim& claim) const {
  KindCache kinds;
  return resolve(resolver, claim, kinds);
}

Result<Resolution> Catalog::resolve(const Resolver& resolver, const NodeClaim& claim, KindCache& kinds) const {
  if (claim.pool.empty() && pools_.size() == 1) {
    const NodePool& pool = pools_.begin()->second;
    auto node = resolve(resolver, completed(claim, pool), kinds);
    if (node) node->warnings.push_back(pool_assumed(pool));
    return node;
  }
  auto request = request_for(claim);
  if (!request) return std::move(request).error();
  auto type = instance_type_for(*request, resolver);
  if (!type) return std::move(type).error();
  request->instance_type = *type;
  auto kind = kinds.find(resolver, *request);
  if (!kind) return std::move(kind).error();
  auto node = resolver.resolve(*request, *std::move(kind));
  if (node && types_.empty()) note_built_in_size(*node, Constraints(claim, request->pool));
  if (node && claim.node_class.name.empty()) node->warnings.push_back(class_assumed(*request->node_class));
  return node;
}

Result<const InstanceType*> Catalog::instance_type_for(const Request& request, const Resolver& resolver) const {
  const Constraints constraints(*request.claim, request.pool);
  const ChoiceInputs inputs{request.claim,        request.pool, request.node_class,
                            &resolver.settings(), &constraints, &resolver};
  if (!types_.empty()) {
    std::vector<const InstanceType*> given;
    for (const InstanceType& type : types_) given.push_back(&type);
    return choose_instance_type(inputs, given);
  }
  std::vector<const InstanceType*> candidates;
  std::string unknown;
  for (const std::string& name : named_sizes(constraints)) {
    if (const InstanceType* type = known_size(name))
      candidates.push_back(type);
    else
      unknown += (unknown.empty() ? "" : ", ") + name;
  }
  if (candidates.empty() && !unknown.empty())
    return Error(fmt::format("claim {}: {} is not a known size", request.claim->name, unknown))
        .with_hint(kDescribeSizeHint);
  if (!candidates.empty() || describes_sizes(constraints) == Described::kNot)
    return choose_instance_type(inputs, candidates);

  for (const std::string& name : known_size_names()) candidates.push_back(known_size(name));
  auto chosen = choose_instance_type(inputs, candidates);
  if (chosen) return chosen;
  return Error(fmt::format("no instance type fits claim {}: none is given, and none of the {} built-in sizes meets the "
                           "requirements of claim, pool and class",
                           request.claim->name, candidates.size()))
      .with_hint(kDescribeSizeHint);
}

const InstanceType* Catalog::known_size(const std::string& name) const {
  auto it = known_.find(name);
  if (it == known_.end()) {
    auto type = known_instance_type(name);
    if (!type) return nullptr;
    it = known_.emplace(name, std::make_unique<InstanceType>(with_labels(*std::move(type)))).first;
  }
  return it->second.get();
}

}  // namespace sunup::fleet

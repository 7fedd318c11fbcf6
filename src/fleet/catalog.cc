#include "fleet/catalog.h"

#include <fmt/format.h>

#include "fleet/instance_choice.h"

namespace sunup::fleet {
namespace {

constexpr std::string_view kInstanceTypeKey = "node.kubernetes.io/instance-type";

// The sizes a claim restricts itself to, in its order of preference.
std::vector<std::string> named_sizes(const NodeClaim& claim) {
  for (const Requirement& requirement : claim.requirements)
    if (requirement.op == "In" &&
        (requirement.key == kInstanceTypeKey || requirement.key == "karpenter.azure.com/sku-name"))
      return requirement.values;
  const auto it = claim.labels.find(std::string(kInstanceTypeKey));
  return it == claim.labels.end() ? std::vector<std::string>() : std::vector<std::string>{it->second};
}

template <class T>
Result<const T*> find(const std::map<std::string, T>& from, const std::string& name, std::string_view what) {
  if (const auto it = from.find(name); it != from.end()) return &it->second;
  if (name.empty() && from.size() == 1) return &from.begin()->second;
  if (name.empty()) return Error(fmt::format("no {} is named, and {} are given", what, from.size()));
  return Error(fmt::format("{} {} is not among those given", what, name));
}

}  // namespace

void Catalog::add(const std::vector<Document>& documents, Findings& findings) {
  for (const Document& doc : documents) {
    const std::string kind = doc.kind();
    if (kind == "NodePool" || kind == "Provisioner") {
      if (auto pool = read_node_pool(doc, findings)) pools_.insert_or_assign(pool->name, *std::move(pool));
    } else if (kind == "AKSNodeClass" || kind == "NodeTemplate") {
      if (auto node_class = read_node_class(doc, findings))
        classes_.insert_or_assign(node_class->name, *std::move(node_class));
    } else {
      report(findings, Severity::kError, doc, "kind", "enum",
             fmt::format("is '{}', must be NodePool or AKSNodeClass (or the older Provisioner or NodeTemplate)", kind));
    }
  }
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
  auto request = request_for(claim);
  if (!request) return std::move(request).error();
  auto type = instance_type_for(*request);
  if (!type) return std::move(type).error();
  request->instance_type = *type;
  return resolver.resolve(*request);
}

Result<const InstanceType*> Catalog::instance_type_for(const Request& request) const {
  if (!types_.empty()) {
    std::vector<const InstanceType*> given;
    for (const InstanceType& type : types_) given.push_back(&type);
    return choose_instance_type(*request.claim, *request.node_class, given);
  }
  std::vector<const InstanceType*> candidates;
  for (const std::string& name : named_sizes(*request.claim)) {
    auto it = known_.find(name);
    if (it == known_.end()) {
      auto type = known_instance_type(name);
      if (!type) continue;
      it = known_.emplace(name, std::make_unique<InstanceType>(with_labels(*std::move(type)))).first;
    }
    candidates.push_back(it->second.get());
  }
  return choose_instance_type(*request.claim, *request.node_class, candidates);
}

}  // namespace sunup::fleet

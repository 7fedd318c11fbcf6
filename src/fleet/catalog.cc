#include "fleet/catalog.h"

#include <fmt/format.h>

#include <algorithm>

#include "fleet/launch_template.h"
#include "render/json_writer.h"

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
  types_.insert(types_.end(), std::make_move_iterator(types.begin()), std::make_move_iterator(types.end()));
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

Result<const InstanceType*> Catalog::instance_type_for(const Resolver& resolver, const Request& request) const {
  if (!types_.empty()) return resolver.choose(request, types_);
  std::vector<InstanceType> candidates;
  for (const std::string& name : named_sizes(*request.claim))
    if (auto type = known_instance_type(name)) candidates.push_back(*std::move(type));
  auto chosen = resolver.choose(request, candidates);
  if (!chosen) return chosen;
  std::unique_ptr<InstanceType>& kept = known_[(*chosen)->name];
  if (kept == nullptr) kept = std::make_unique<InstanceType>(**chosen);
  return kept.get();
}

BatchLine resolve_line(const Resolver& resolver, const Catalog& catalog, std::string_view line) {
  std::string name;
  const auto fail = [&name](std::string_view why) {
    std::string json = R"({"nodeClaim":)";
    render::append_json_string(json, name);
    json += R"(,"error":)";
    render::append_json_string(json, why);
    return BatchLine{json + "}", false};
  };
  auto doc = read_json_document(line);
  if (!doc) return fail(doc.error().what);
  if (!doc->value.is_object()) return fail("a claim must be a JSON object");
  name = doc->name();
  Findings findings;
  const auto claim = read_node_claim(*doc, findings);
  if (!claim) {
    std::string errors = describe(findings, Severity::kError);
    errors.erase(errors.find_last_not_of('\n') + 1);
    return fail(errors);
  }
  auto request = catalog.request_for(*claim);
  if (!request) return fail(request.error().what);
  auto type = catalog.instance_type_for(resolver, *request);
  if (!type) return fail(type.error().what);
  request->instance_type = *type;
  auto node = resolver.resolve(*request);
  if (!node) return fail(node.error().what);
  for (Finding& finding : findings) node->warnings.push_back(std::move(finding));
  const auto made = make_launch_template(*node);
  if (!made) return fail(made.error().what);
  return {launch_template_json(*node, *made), true};
}

}  // namespace sunup::fleet

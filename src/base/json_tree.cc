#include "base/json_tree.h"

#include <utility>

namespace sunup {
namespace {

struct Builder {
  void name(std::string_view key) { next_name = key; }

  void value(JsonKind kind, std::string_view text) {
    if (kind == JsonKind::kObject || kind == JsonKind::kArray) open.push_back(nodes.size());
    nodes.push_back({kind, std::exchange(next_name, {}), std::string(text)});
  }

  void end() {
    nodes[open.back()].nodes = nodes.size() - open.back();
    open.pop_back();
  }

  std::vector<JsonNode> nodes;
  std::vector<size_t> open;  // objects and arrays that have not ended yet
  std::string next_name;
};

}  // namespace

std::string_view JsonNode::kind_name() const {
  switch (kind) {
    case JsonKind::kTrue:
    case JsonKind::kFalse:
      return "bool";
    case JsonKind::kNumber:
      return "number";
    case JsonKind::kString:
      return "string";
    case JsonKind::kArray:
      return "array";
    case JsonKind::kObject:
      return "object";
    default:
      return "null";
  }
}

const JsonNode* JsonNode::find(std::string_view member) const {
  const JsonNode* found = nullptr;
  if (!is_object()) return found;
  for (const JsonNode& node : *this)
    if (node.name == member) found = &node;
  return found;
}

const std::string& JsonNode::text_of(std::string_view member) const {
  static const std::string kNothing;
  const JsonNode* found = find(member);
  return found != nullptr && found->is_string() ? found->text : kNothing;
}

Result<JsonTree> JsonTree::parse(std::string_view text, JsonDialect dialect) {
  JsonReader in(text, dialect);
  Builder builder;
  if (!in.visit(builder) || !in.end()) return Error(in.error());
  JsonTree tree;
  tree.nodes_ = std::move(builder.nodes);
  return tree;
}

}  // namespace sunup

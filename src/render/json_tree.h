// Reads JSON that is meant for other programs, as tolerantly as these programs: members may repeat and keep their
// order, half a surrogate pair becomes U+FFFD, numbers may be of any size. Syntax is strict (RFC 8259, one value, at
// most 10000 levels). Nodes are stored in document order in one array, so nesting does not use the stack.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sunup::render {

class JsonTree {
 public:
  enum class Type : uint8_t { kNull, kBoolean, kNumber, kString, kArray, kObject };

  struct Node {
    Type type;
    std::string name;  // of an object's member, escapes resolved
    std::string text;  // of a string, escapes resolved
    size_t end = 0;    // the node after this one and its children

    bool is_null() const { return type == Type::kNull; }
    bool is_string() const { return type == Type::kString; }
    bool is_array() const { return type == Type::kArray; }
    bool is_object() const { return type == Type::kObject; }
  };

  // Empty if the text is not a single JSON value.
  static std::optional<JsonTree> parse(std::string_view text);

  const Node& root() const { return nodes_.front(); }

  // Calls visit(child) for each member or item of a node, in document order.
  template <class Visit>
  void each_child(const Node& node, Visit visit) const {
    for (size_t i = static_cast<size_t>(&node - nodes_.data()) + 1; i < node.end; i = nodes_[i].end) visit(nodes_[i]);
  }

 private:
  std::vector<Node> nodes_;
};

}  // namespace sunup::render

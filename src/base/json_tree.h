// A JSON document as a tree: members keep their order and may repeat, numbers are text of any size. The nodes are
// stored in document order in one array, so a deeply nested document does not use the stack.
//
//   const auto tree = JsonTree::parse(text);
//   if (!tree) return tree.error();                        // in the wording of the dialect (json_reader.h)
//   for (const JsonNode& member : tree->root()) if (member.name == "version") ...
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/json_reader.h"
#include "base/result.h"

namespace sunup {

struct JsonNode {
  JsonKind kind = JsonKind::kNull;
  std::string name;  // of an object's member, decoded
  std::string text;  // of a string, decoded; of a number or a word, as written
  size_t nodes = 1;  // including itself and everything in it

  bool is_null() const { return kind == JsonKind::kNull; }
  bool is_string() const { return kind == JsonKind::kString; }
  bool is_array() const { return kind == JsonKind::kArray; }
  bool is_object() const { return kind == JsonKind::kObject; }
  bool is_number() const { return kind == JsonKind::kNumber; }

  // "string", "number", "bool", ...: its name in the error messages of encoding/json.
  std::string_view kind_name() const;

  // The last member of that name, which is the one that most readers use; nullptr if there is none.
  const JsonNode* find(std::string_view member) const;
  // Its text if it is a string, otherwise "".
  const std::string& text_of(std::string_view member) const;

  // The members or items, in document order.
  class Iterator {
   public:
    using iterator_category = std::forward_iterator_tag;
    using value_type = JsonNode;
    using difference_type = std::ptrdiff_t;
    using pointer = const JsonNode*;
    using reference = const JsonNode&;

    Iterator() = default;
    explicit Iterator(const JsonNode* at) : at_(at) {}
    reference operator*() const { return *at_; }
    pointer operator->() const { return at_; }
    Iterator& operator++() {
      at_ += at_->nodes;
      return *this;
    }
    Iterator operator++(int) {
      const Iterator before = *this;
      ++*this;
      return before;
    }
    bool operator==(const Iterator&) const = default;

   private:
    const JsonNode* at_ = nullptr;
  };
  // Only for nodes of a tree: a copy has no members.
  Iterator begin() const { return Iterator(this + 1); }
  Iterator end() const { return Iterator(this + nodes); }
};

class JsonTree {
 public:
  // The text must be a single value, with nothing but white space around it.
  static Result<JsonTree> parse(std::string_view text, JsonDialect dialect = JsonDialect::kGo);

  const JsonNode& root() const { return nodes_.front(); }

 private:
  std::vector<JsonNode> nodes_;
};

}  // namespace sunup

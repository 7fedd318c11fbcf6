#include "render/json_tree.h"

#include <utility>

#include "base/json_escape.h"
#include "base/text.h"
#include "base/utf8.h"

namespace sunup::render {
namespace {

constexpr size_t kMaxDepth = 10000;

// What is left of the text, and the pieces a JSON value is made of.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : rest_(text) {}

  void skip_space() {
    while (!rest_.empty() && (rest_[0] == ' ' || rest_[0] == '\t' || rest_[0] == '\n' || rest_[0] == '\r'))
      rest_.remove_prefix(1);
  }

  bool take(char c) { return take(std::string_view(&c, 1)); }

  bool take(std::string_view word) {
    if (!rest_.starts_with(word)) return false;
    rest_.remove_prefix(word.size());
    return true;
  }

  bool at_end() const { return rest_.empty(); }
  char next() const { return rest_.empty() ? '\0' : rest_[0]; }

  bool take_number() {
    take('-');
    if (!take('0') && !take_digits()) return false;
    if (take('.') && !take_digits()) return false;
    if (take('e') || take('E')) {
      if (!take('+')) take('-');
      return take_digits();
    }
    return true;
  }

  bool take_string(std::string& out) {
    if (!take('"')) return false;
    while (!rest_.empty()) {
      const char c = rest_[0];
      if (c == '\\') {
        const JsonEscape escape = read_json_escape(rest_);
        if (!escape.is_known()) return false;
        append_utf8(out, escape.forgiven());
        rest_.remove_prefix(escape.length);
        continue;
      }
      rest_.remove_prefix(1);
      if (c == '"') return true;
      if (static_cast<unsigned char>(c) < 0x20) return false;
      out += c;
    }
    return false;
  }

 private:
  bool take_digits() {
    size_t n = 0;
    while (n < rest_.size() && is_digit(rest_[n])) ++n;
    rest_.remove_prefix(n);
    return n > 0;
  }

  std::string_view rest_;
};

}  // namespace

std::optional<JsonTree> JsonTree::parse(std::string_view text) {
  JsonTree tree;
  Scanner scan(text);
  std::vector<size_t> open;  // arrays and objects that have not ended yet

  while (true) {
    // One value, with its name if it is a member.
    Node node{Type::kNull, {}, {}, 0};
    scan.skip_space();
    if (!open.empty() && tree.nodes_[open.back()].is_object()) {
      if (!scan.take_string(node.name)) return std::nullopt;
      scan.skip_space();
      if (!scan.take(':')) return std::nullopt;
      scan.skip_space();
    }
    bool opened = false;
    if (scan.take('{')) {
      node.type = Type::kObject;
      opened = true;
    } else if (scan.take('[')) {
      node.type = Type::kArray;
      opened = true;
    } else if (scan.take("true") || scan.take("false")) {
      node.type = Type::kBoolean;
    } else if (scan.take("null")) {
      node.type = Type::kNull;
    } else if (scan.next() == '"') {
      if (!scan.take_string(node.text)) return std::nullopt;
      node.type = Type::kString;
    } else if (scan.take_number()) {
      node.type = Type::kNumber;
    } else {
      return std::nullopt;
    }
    tree.nodes_.push_back(std::move(node));
    if (opened) {
      open.push_back(tree.nodes_.size() - 1);
      if (open.size() > kMaxDepth) return std::nullopt;
    } else {
      tree.nodes_.back().end = tree.nodes_.size();
    }

    // Whatever ends here, then a comma before the next value, unless a bracket has just been opened.
    while (!open.empty()) {
      Node& parent = tree.nodes_[open.back()];
      scan.skip_space();
      if (!scan.take(parent.is_object() ? '}' : ']')) break;
      parent.end = tree.nodes_.size();
      open.pop_back();
      opened = false;
    }
    if (open.empty()) {
      scan.skip_space();
      if (!scan.at_end()) return std::nullopt;
      return tree;
    }
    if (!opened && !scan.take(',')) return std::nullopt;
  }
}

}  // namespace sunup::render

// Any bytes are JSON in a dialect or are refused at a position. The dialects include each other: strict JSON is also
// JSON for Go, and JSON for Go can also be read as broken JSON. A tree can be written and read back unchanged.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/json_tree.h"
#include "base/json_writer.h"
#include "require.h"

namespace {

using namespace sunup;

bool accepts(std::string_view text, JsonDialect dialect) {
  JsonReader in(text, dialect);
  const bool ok = in.skip() && in.end();
  require(ok != in.failed(), "a failure has a reason");
  if (ok) return true;
  require(in.error_offset() <= text.size() && in.offset() <= text.size(), "a failure is in the text");
  const Position at = in.position(in.error_offset());
  require(at.line >= 1 && at.column >= 1, "a failure has a position");
  require(in.error().find('\n') == std::string::npos, "a reason is one line");
  return false;
}

size_t depth_of(std::string_view text) {
  size_t depth = 0, deepest = 0;
  for (const char c : text) {
    if (c == '{' || c == '[') deepest = std::max(deepest, ++depth);
    if ((c == '}' || c == ']') && depth > 0) --depth;
  }
  return deepest;
}

void write(const JsonNode& node, JsonWriter& out, int depth) {
  require(depth < 200, "the test only writes what is not too deep");
  if (node.is_string()) return out.text(node.text);
  if (!node.is_object() && !node.is_array()) return out.raw(node.text);
  node.is_object() ? out.begin_object() : out.begin_array();
  for (const JsonNode& child : node) {
    if (node.is_object()) out.key(child.name);
    write(child, out, depth + 1);
  }
  node.is_object() ? out.end_object() : out.end_array();
}

std::string written(const JsonTree& tree) {
  JsonWriter out;
  write(tree.root(), out, 0);
  return std::move(out).take();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const bool strict = accepts(text, JsonDialect::kStrict);
  const bool go = accepts(text, JsonDialect::kGo);
  const bool broken = accepts(text, JsonDialect::kBroken);
  const size_t depth = depth_of(text);
  require(!strict || go, "strict JSON is JSON for Go");
  require(!go || broken || depth > 65, "JSON for Go can be read as broken JSON");

  const auto tree = JsonTree::parse(text);
  require(tree.ok() == go, "a tree is made of what can be read");
  if (!tree || depth > 100) return 0;
  const std::string once = written(*tree);
  const auto back = JsonTree::parse(once);
  require(back.ok() && written(*back) == once, "what is written is read back");
  require(JsonTree::parse(once, JsonDialect::kStrict).ok() || once.find("\\u0000") != std::string::npos,
          "what is written is strict JSON, unless it contains NUL");
  return 0;
}

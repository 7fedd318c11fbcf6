// Any bytes are a stream of YAML documents or are refused; no stream expands without bound. A line of a batch is one
// JSON value or is refused.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/json_nesting.h"
#include "fleet/sources/bounds.h"
#include "fleet/sources/document.h"
#include "require.h"

namespace {

size_t nodes_of(const nlohmann::json& value) {
  size_t nodes = 1;
  if (value.is_structured())
    for (const auto& child : value) nodes += nodes_of(child);
  return nodes;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace sunup::fleet;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (const auto documents = read_documents(text, "fuzz.yaml")) {
    size_t nodes = 0;
    for (const Document& document : *documents) {
      nodes += nodes_of(document.value);
      (void)document.kind();
      (void)document.name();
      for (const auto& [path, line] : document.lines) require(line >= 1, "a line is counted from 1");
    }
    require(nodes <= size + kMaxAliased + 1, "documents are bounded by the text and its aliases");
  } else {
    require(documents.error().what.starts_with("fuzz.yaml"), "a refusal names the file");
  }
  const auto line = read_json_document(text);
  require(line.ok() || !line.error().what.empty(), "a refusal has a reason");
  require(!sunup::nested_too_deeply(text) || !parse_json(text).ok(), "what is nested too deeply is refused");
  return 0;
}

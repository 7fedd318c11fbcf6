// Documents about images, nodes and sizes that a cluster or a user gives, with any content: they are read or refused
// with a reason.
#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "fleet/launch/drift.h"
#include "fleet/launch/drift_state.h"
#include "fleet/sources/document.h"
#include "fleet/sources/image_versions.h"
#include "fleet/sources/quantity.h"
#include "require.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace sunup::fleet;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto versions = parse_image_versions(text, "input");
  require(versions.ok() || !versions.error().what.empty(), "a refusal has a reason");
  if (const auto quantity = parse_quantity(text)) {
    const std::string again = format_millicores(quantity->milli);
    const auto same = parse_quantity(again);
    require(same && (same->milli == quantity->milli || quantity->milli < 0),
            "a quantity can be written and read again");
  }
  for (const auto& [name, value] : script_variables(text)) require(!name.empty(), "a variable has a name");
  // The documents are read within their bounds first (yaml_fuzz).
  const auto documents = read_documents(text, "input");
  if (!documents) return 0;
  for (const Document& document : *documents) {
    const auto state = read_drift_state(document.value);
    require(state.ok() || !state.error().what.empty(), "a refusal has a reason");
    const auto drift = compare_drift(document.value, documents->front().value);
    require(drift.ok() || !drift.error().what.empty(), "a refusal has a reason");
  }
  return 0;
}

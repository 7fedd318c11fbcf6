// Any bytes are a hotfix pointer or are refused; a pointer can be written and read back.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "controller/hotfix_pointer.h"
#include "require.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace sunup::controller;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (const auto pointer = parse_pointer(text)) {
    const auto back = parse_pointer(to_json(*pointer));
    require(back.ok(), "what is written is read");
    require(back->version == pointer->version && back->scripts_version == pointer->scripts_version &&
                back->hotfixes == pointer->hotfixes,
            "what is written is read back");
    for (const auto& [base, version] : pointer->hotfixes) (void)wanted_version(*pointer, base + ".1");
  }
  const auto cold = cold_start_hotfixes(text);
  require(!cold || !*cold || !(*cold)->empty(), "a pointer without an entry is none");
  if (const auto base = base_of(text)) require(base->size() < size, "a base is shorter than its version");
  const auto fits = is_hotfix_for("202604.01.1", text);
  if (fits && *fits) require(*base_of(text) == "202604.01", "a hotfix has the same base");
  return 0;
}

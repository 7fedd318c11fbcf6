// Any bytes are a config or are refused: no crash, no hang, and a refusal is one line with a position. An accepted
// config can be checked, and written and read back without a difference.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "contract/check.h"
#include "contract/diff.h"
#include "contract/load.h"
#include "contract/secrets.h"
#include "contract/write.h"
#include "require.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace sunup::contract;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  Details details;
  const auto loaded = load_text(text, "fuzz.json", &details);
  const auto again = load_text(text, "fuzz.json");
  require(loaded.ok() == again.ok(), "asking for details changes nothing");
  if (!loaded) {
    require(loaded.error().what.starts_with("fuzz.json:"), "a refusal starts with the file");
    require(loaded.error().what.find('\n') == std::string::npos, "a refusal is one line");
    require(!details.refusal.message.empty() && details.refusal.at.line >= 1 && details.refusal.at.column >= 1,
            "a refusal has a place");
    return 0;
  }
  for (const Finding& finding : loaded->findings)
    require(finding.path.find('\n') == std::string::npos && finding.message.find('\n') == std::string::npos,
            "a finding is one line");
  check(loaded->config, details.places, {.now = 1800000000});
  secrets_of(loaded->config);

  const std::string written = to_json(loaded->config);
  const auto back = load_text(written, "written.json");
  require(back.ok(), "what was written can be read");
  require(to_json(back->config) == written, "writing is stable");
  require(diff(loaded->config, back->config).empty(), "what was read back is the same");
  return 0;
}

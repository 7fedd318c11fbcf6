// Durations and versions: any text is one or is refused, written values can be read back, and comparisons are a
// consistent order.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/duration.h"
#include "base/text.h"
#include "base/version.h"
#include "require.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace sunup;
  std::string_view text(reinterpret_cast<const char*>(data), size);
  if (const auto duration = parse_go_duration(text)) {
    const std::string written = format_go_duration(*duration);
    const auto back = parse_go_duration(written);
    require(back == duration, "a duration that is written is read back");
    require(format_go_duration(*back) == written, "writing is stable");
  }
  if (const auto duration = parse_flag_duration(text))
    require(duration->count() >= 0, "a flag's duration is not negative");

  if (const auto version = Version::parse(text)) {
    require(version->at_least(0, 0, 0) || !version->prerelease.empty(), "every release is at least 0.0.0");
    require(version->at_least(version->major, version->minor, version->patch) == version->prerelease.empty(),
            "a release is at least itself, a prerelease is not");
    require(version_at_least(text, version->major, version->minor, version->patch) == version->prerelease.empty(),
            "text and version agree");
  }
  const std::string_view first = take_until(text, '\n');
  const std::string_view second = take_until(text, '\n');
  require(natural_order(first, first) == 0, "a text is equal to itself");
  require((natural_order(first, second) <=> 0) == (0 <=> natural_order(second, first)), "an order has two directions");
  return 0;
}

// Values and texts with any content: a hidden value is not in the output, and a text in pieces gives what the whole
// text gives. The input is the value, NUL, the text.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/text.h"
#include "redaction/redactor.h"
#include "require.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace sunup;
  using namespace sunup::redaction;
  std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::string_view value = take_until(text, '\0');
  if (value.size() > 4096) return 0;
  Redactor redactor;
  redactor.hide(value);
  const std::string planted =
      std::string(text.substr(0, text.size() / 2)) + std::string(value) + std::string(text.substr(text.size() / 2));
  const std::string shown = redactor.redact(planted);
  // Of a URL, only the parts that can be a credential are hidden. The mark itself may contain a short value.
  const bool all_hidden = value.size() >= kShortestHidden && value.find("://") == value.npos &&
                          Redactor::kMark.find(value) == Redactor::kMark.npos && trimmed(value) == value;
  if (all_hidden) require(shown.size() != planted.size() || shown != planted, "a value is hidden");

  for (const size_t piece : {size_t{1}, size_t{3}, size_t{4096}}) {
    RedactedStream stream(redactor);
    std::string passed;
    for (size_t at = 0; at < planted.size(); at += piece)
      passed += stream.feed(std::string_view(planted).substr(at, piece));
    passed += stream.finish();
    require(passed == shown, "pieces give what the whole gives");
  }
  (void)redacted_json(redactor, text);
  return 0;
}

// Objects are found in any bytes: each is within the text, and valid JSON is found unchanged. Any bytes become UTF-8.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/utf8.h"
#include "report/lenient_json.h"
#include "require.h"

namespace {

using namespace sunup::report;

void require_utf8(std::string_view text) {
  while (!text.empty()) {
    const sunup::Rune rune = sunup::first_rune(text);
    require(rune.valid(), "text is UTF-8");
    text.remove_prefix(rune.size);
  }
}

void judge(const Fields& object, std::string_view text) {
  require(object.start < object.end && object.end <= text.size(), "an object lies in the text");
  require(text[object.start] == '{', "an object starts with a bracket");
  require(!(object.truncated && object.broken), "an object is truncated or broken, not both");
  if (object.truncated) require(object.end == text.size(), "a truncated object ends with the text");
  if (!object.truncated && !object.broken) require(text[object.end - 1] == '}', "a whole object ends with a bracket");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const std::string text = to_clean_utf8(bytes);
  require_utf8(text);
  size_t found = 0;
  each_object(text, [&](const Fields& object) {
    judge(object, text);
    ++found;
    return object.fields.size() % 2 == 1;
  });
  require(found > 0 || text.find('{') == std::string::npos, "a bracket is the start of an object, whole or not");
  if (const size_t start = text.find('{'); start != std::string::npos) judge(read_object(text, start), text);
  require(unescape_once(text).size() <= text.size(), "an escape is no shorter than what it stands for");

  // A bracket in the text may hide later objects, but an object at the start is found.
  const std::string planted = "{\"ExitCode\":\"7\",\"nested\":{\"a\":\"\\n\"}} " + text;
  const Fields first = read_object(planted, 0);
  require(!first.broken && !first.truncated && first.fields.size() == 2, "a whole object is read");
  require(first.fields[0].value == "7" && first.fields[1].children.at(0).value == "\n", "with its values");
  return 0;
}

#include "base/json_escape.h"

#include "base/text.h"

namespace sunup {
namespace {

using Problem = JsonEscape::Problem;

// The \uXXXX at the start of `text`, which may be half of a pair.
JsonEscape read_unit(std::string_view text) {
  JsonEscape unit{.length = 2};
  for (; unit.length < 6; ++unit.length) {
    const int digit = unit.length < text.size() ? hex_digit(text[unit.length]) : -1;
    if (digit < 0) return {.problem = Problem::kHex, .length = unit.length};
    unit.code = unit.code << 4 | static_cast<uint32_t>(digit);
  }
  return unit;
}

}  // namespace

JsonEscape read_json_escape(std::string_view text) {
  constexpr std::string_view kNames = "\"\\/bfnrt";
  constexpr std::string_view kMeanings = "\"\\/\b\f\n\r\t";
  const char name = text.size() > 1 ? text[1] : '\0';
  if (const size_t known = kNames.find(name); known != std::string_view::npos)
    return {.code = static_cast<unsigned char>(kMeanings[known]), .length = 2};
  if (name != 'u') return {.problem = Problem::kUnknown, .length = 1};
  JsonEscape escape = read_unit(text);
  if (!escape.is_known() || escape.code < 0xD800 || escape.code > 0xDFFF) return escape;
  const std::string_view rest = text.substr(escape.length);
  if (escape.code < 0xDC00 && rest.starts_with("\\u")) {
    const JsonEscape low = read_unit(rest);
    if (low.is_known() && low.code >= 0xDC00 && low.code <= 0xDFFF)
      return {.code = 0x10000 + ((escape.code - 0xD800) << 10) + (low.code - 0xDC00), .length = 12};
  }
  escape.problem = Problem::kHalf;
  return escape;
}

}  // namespace sunup

// Any bytes can be written as a JSON string and read back: unchanged, or with U+FFFD for bytes that are not UTF-8. Any
// text can be read as an escape.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/json_escape.h"
#include "base/json_writer.h"
#include "base/utf8.h"
#include "require.h"

namespace {

// The decoded text of a JSON string.
std::string meant(std::string_view literal) {
  require(literal.size() >= 2 && literal.front() == '"' && literal.back() == '"', "a string is in quotes");
  literal = literal.substr(1, literal.size() - 2);
  std::string out;
  while (!literal.empty()) {
    const char c = literal[0];
    require(static_cast<unsigned char>(c) >= 0x20 && c != '"', "a string holds no raw quote or control character");
    const sunup::JsonEscape escape = c == '\\' ? sunup::read_json_escape(literal) : sunup::JsonEscape{.length = 1};
    require(escape.problem == sunup::JsonEscape::Problem::kNone, "what is escaped can be read");
    if (c == '\\')
      sunup::append_utf8(out, escape.code);
    else
      out += c;
    literal.remove_prefix(escape.length);
  }
  return out;
}

std::string clean(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const sunup::Rune rune = sunup::first_rune(text);
    sunup::append_utf8(out, rune.valid() ? rune.code : 0xFFFD);
    text.remove_prefix(rune.size);
  }
  return out;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace sunup;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  require(meant(json_string(text, JsonEscapes::kMinimal)) == text, "the minimal string is read back as it was");
  for (const JsonEscapes escapes : {JsonEscapes::kText, JsonEscapes::kHtml})
    require(meant(json_string(text, escapes)) == clean(text), "a string is read back as UTF-8");
  const std::string html = json_string(text, JsonEscapes::kHtml);
  require(html.find_first_of("<>&") == std::string::npos, "no markup is left for a page");

  if (!text.starts_with('\\')) return 0;
  const JsonEscape escape = read_json_escape(text);
  require(escape.length >= 1 && escape.length <= size, "an escape is a part of the text");
  require(escape.code <= 0x10FFFF, "an escape stands for a code point");
  return 0;
}

#include "report/redacted_json.h"

#include <algorithm>

#include "base/json_reader.h"
#include "base/json_writer.h"
#include "base/quoted.h"

namespace sunup::report {
namespace {

// The length, with quotes, of the string at the start of `text`.
size_t string_length(std::string_view text) {
  size_t at = 1;
  while (at < text.size() && text[at] != '"') at += text[at] == '\\' ? 2 : 1;
  return std::min(at + 1, text.size());
}

std::string with_redacted_strings(const Redactor& redactor, std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const size_t plain = std::min(text.find('"'), text.size());
    out += text.substr(0, plain);
    text.remove_prefix(plain);
    if (text.empty()) break;
    const std::string_view literal = text.substr(0, string_length(text));
    text.remove_prefix(literal.size());
    JsonReader in(literal, JsonDialect::kGo);
    std::string_view meant;
    const bool readable = in.string(meant);
    const std::string shown = readable ? redactor.redact(meant) : "";
    if (!readable || shown == meant)
      out += literal;
    else
      append_json_string(out, shown, JsonEscapes::kText);
  }
  return out;
}

}  // namespace

std::string redacted_json(const Redactor& redactor, std::string_view text) {
  const std::string strings = with_redacted_strings(redactor, text);
  // Text that is not JSON may contain characters in any spelling that JSON allows.
  const std::string plain = plainly_spelled(strings);
  const std::string hidden = redactor.redact(plain);
  return hidden == plain ? redactor.redact(strings) : hidden;
}

}  // namespace sunup::report

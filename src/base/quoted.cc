#include "base/quoted.h"

#include <algorithm>
#include <cstdint>
#include <iterator>

#include "base/json_escape.h"
#include "base/utf8.h"

namespace sunup {
namespace {

constexpr char kHex[] = "0123456789abcdef";

void append_hex(std::string& out, uint32_t value, int digits) {
  for (int shift = (digits - 1) * 4; shift >= 0; shift -= 4) out += kHex[value >> shift & 0xF];
}

// False for spaces other than U+0020, format characters, surrogates and private use, which a terminal would not show or
// would interpret. Unassigned code points count as printable; they occur only in logs.
bool is_printable(uint32_t code) {
  struct Range {
    uint32_t first, last;
  };
  static constexpr Range kUnprintable[] = {
      {0x00, 0x1F},       {0x7F, 0xA0},       {0xAD, 0xAD},       {0x600, 0x605},     {0x61C, 0x61C},
      {0x6DD, 0x6DD},     {0x70F, 0x70F},     {0x890, 0x891},     {0x8E2, 0x8E2},     {0x1680, 0x1680},
      {0x180E, 0x180E},   {0x2000, 0x200F},   {0x2028, 0x202F},   {0x205F, 0x206F},   {0x3000, 0x3000},
      {0xD800, 0xF8FF},   {0xFEFF, 0xFEFF},   {0xFFF0, 0xFFFB},   {0xFFFE, 0xFFFF},   {0x110BD, 0x110BD},
      {0x110CD, 0x110CD}, {0x13430, 0x1343F}, {0x1BCA0, 0x1BCA3}, {0x1D173, 0x1D17A}, {0xE0000, 0xE00FF},
      {0xF0000, 0x10FFFF}};
  const auto* range = std::lower_bound(std::begin(kUnprintable), std::end(kUnprintable), code,
                                       [](const Range& r, uint32_t c) { return r.last < c; });
  return range == std::end(kUnprintable) || code < range->first;
}

// One rune within quotes of the given kind.
void append_quoted_rune(std::string& out, uint32_t code, char quote) {
  if (code == static_cast<unsigned char>(quote) || code == '\\') {
    out += '\\';
    out += static_cast<char>(code);
    return;
  }
  if (is_printable(code)) return append_utf8(out, code);
  static constexpr std::string_view kNamed = "\a\b\f\n\r\t\v";
  static constexpr std::string_view kNames = "abfnrtv";
  if (code < 0x80) {
    const size_t named = kNamed.find(static_cast<char>(code));
    out += '\\';
    if (named != std::string_view::npos) {
      out += kNames[named];
    } else {
      out += 'x';
      append_hex(out, code, 2);
    }
  } else if (code < 0x10000) {
    out += "\\u";
    append_hex(out, code, 4);
  } else {
    out += "\\U";
    append_hex(out, code, 8);
  }
}

}  // namespace

std::string go_quoted(std::string_view text) {
  std::string out = "\"";
  while (!text.empty()) {
    const Rune rune = first_rune(text);
    if (rune.valid()) {
      append_quoted_rune(out, rune.code, '"');
    } else {
      out += "\\x";
      append_hex(out, static_cast<unsigned char>(text[0]), 2);
    }
    text.remove_prefix(rune.size);
  }
  out += '"';
  return out;
}

std::string visible(std::string_view text, std::string_view indent) {
  std::string out;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    const bool more = end < text.size();
    if (more && line.ends_with('\r')) line.remove_suffix(1);
    out += one_line(line);
    text.remove_prefix(end);
    if (!more) break;
    out += '\n';
    out += indent;
    text.remove_prefix(1);
  }
  return out;
}

std::string one_line(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const Rune rune = first_rune(text);
    if (!rune.valid()) {
      out += "\\x";
      append_hex(out, static_cast<unsigned char>(text[0]), 2);
    } else if (rune.code == '\t' || rune.code == '\\') {
      out += static_cast<char>(rune.code);
    } else {
      append_quoted_rune(out, rune.code, '\\');
    }
    text.remove_prefix(rune.size);
  }
  return out;
}

std::string plainly_spelled(std::string_view json) {
  std::string out;
  while (!json.empty()) {
    const size_t plain = std::min(json.find('\\'), json.size());
    out.append(json.substr(0, plain));
    json.remove_prefix(plain);
    if (json.empty()) break;
    const JsonEscape escape = read_json_escape(json);
    const bool stays =
        escape.problem != JsonEscape::Problem::kNone || escape.code < 0x20 || escape.code == '"' || escape.code == '\\';
    const size_t length = escape.is_known() ? escape.length : std::min<size_t>(json.size(), 2);
    if (stays)
      out.append(json.substr(0, length));
    else
      append_utf8(out, escape.code);
    json.remove_prefix(length);
  }
  return out;
}

std::string quoted_byte(unsigned char byte) {
  std::string out = "'";
  append_quoted_rune(out, byte, '\'');
  out += '\'';
  return out;
}

}  // namespace sunup

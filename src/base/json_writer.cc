#include "base/json_writer.h"

#include <charconv>

#include "base/utf8.h"

namespace sunup {
namespace {

// Whether a byte is not simply copied.
template <JsonEscapes kEscapes>
constexpr bool is_special(unsigned char c) {
  bool special = (c < 0x20) | (c == '"') | (c == '\\');
  if constexpr (kEscapes != JsonEscapes::kMinimal) special |= c >= 0x80;
  if constexpr (kEscapes == JsonEscapes::kHtml) special |= (c == '<') | (c == '>') | (c == '&');
  return special;
}

// Most texts contain no such byte. The loop does not stop at the first one, so that the compiler vectorizes it.
template <JsonEscapes kEscapes>
bool has_special(std::string_view text) {
  bool any = false;
  for (const char c : text) any |= is_special<kEscapes>(static_cast<unsigned char>(c));
  return any;
}

void append_unicode(std::string& out, uint32_t code) {
  constexpr char kHex[] = "0123456789abcdef";
  out += "\\u";
  for (int shift = 12; shift >= 0; shift -= 4) out += kHex[code >> shift & 15];
}

// Writes the special byte or code point that `rest` starts with and returns its size.
size_t append_special(std::string& out, std::string_view rest) {
  constexpr std::string_view kMeanings = "\"\\\b\f\n\r\t";
  constexpr std::string_view kNames = "\"\\bfnrt";
  if (const size_t named = kMeanings.find(rest[0]); named != std::string_view::npos) {
    out += '\\';
    out += kNames[named];
    return 1;
  }
  const Rune rune = first_rune(rest);
  if (!rune.valid())
    append_unicode(out, 0xFFFD);
  else if (rune.code < 0x80 || rune.code == 0x2028 || rune.code == 0x2029)
    append_unicode(out, rune.code);
  else
    out += rest.substr(0, rune.size);
  return rune.size;
}

template <JsonEscapes kEscapes>
void append_escaped(std::string& out, std::string_view text) {
  size_t plain = 0;  // where the run begins that is copied as it is
  for (size_t i = has_special<kEscapes>(text) ? 0 : text.size(); i < text.size();) {
    if (!is_special<kEscapes>(static_cast<unsigned char>(text[i]))) {
      ++i;
      continue;
    }
    out += text.substr(plain, i - plain);
    i += append_special(out, text.substr(i));
    plain = i;
  }
  out += text.substr(plain);
}

}  // namespace

void append_json_string(std::string& out, std::string_view text, JsonEscapes escapes) {
  out += '"';
  switch (escapes) {
    case JsonEscapes::kMinimal:
      append_escaped<JsonEscapes::kMinimal>(out, text);
      break;
    case JsonEscapes::kText:
      append_escaped<JsonEscapes::kText>(out, text);
      break;
    case JsonEscapes::kHtml:
      append_escaped<JsonEscapes::kHtml>(out, text);
      break;
  }
  out += '"';
}

std::string json_string(std::string_view text, JsonEscapes escapes) {
  std::string out;
  out.reserve(text.size() + 2);
  append_json_string(out, text, escapes);
  return out;
}

void JsonWriter::new_line() {
  if (layout_.indent == 0) return;
  out_ += '\n';
  out_.append(depth_ * layout_.indent, ' ');
}

void JsonWriter::before_value() {
  if (after_key_) {
    after_key_ = false;
  } else if (depth_ > 0) {
    if (!empty_) out_ += ',';
    new_line();
  }
  empty_ = false;
}

void JsonWriter::open(char bracket) {
  before_value();
  out_ += bracket;
  ++depth_;
  empty_ = true;
}

void JsonWriter::close(char bracket) {
  --depth_;
  if (!empty_) new_line();
  out_ += bracket;
  empty_ = false;
}

void JsonWriter::key(std::string_view name) {
  before_value();
  append_json_string(out_, name, layout_.escapes);
  out_ += layout_.indent == 0 ? ":" : ": ";
  after_key_ = true;
}

void JsonWriter::text(std::string_view value) {
  before_value();
  append_json_string(out_, value, layout_.escapes);
}

void JsonWriter::number(int64_t value) {
  char buffer[24];
  raw({buffer, static_cast<size_t>(std::to_chars(buffer, buffer + sizeof buffer, value).ptr - buffer)});
}

void JsonWriter::boolean(bool value) {
  raw(value ? "true" : "false");
}

void JsonWriter::raw(std::string_view json) {
  before_value();
  out_ += json;
}

}  // namespace sunup

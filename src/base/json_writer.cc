#include "base/json_writer.h"

#include <array>
#include <charconv>

#include "base/utf8.h"

namespace sunup {
namespace {

using Bytes = std::array<bool, 256>;

// The bytes that are not copied unchanged.
constexpr Bytes special_bytes(JsonEscapes escapes) {
  Bytes special{};
  for (size_t c = 0; c < 0x20; ++c) special[c] = true;
  special['"'] = special['\\'] = true;
  if (escapes == JsonEscapes::kMinimal) return special;
  for (size_t c = 0x80; c < special.size(); ++c) special[c] = true;
  if (escapes == JsonEscapes::kHtml) special['<'] = special['>'] = special['&'] = true;
  return special;
}
constexpr Bytes kSpecial[] = {special_bytes(JsonEscapes::kMinimal), special_bytes(JsonEscapes::kText),
                              special_bytes(JsonEscapes::kHtml)};

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

}  // namespace

void append_json_string(std::string& out, std::string_view text, JsonEscapes escapes) {
  const Bytes& special = kSpecial[static_cast<size_t>(escapes)];
  out += '"';
  size_t plain = 0;  // the start of the run that is copied unchanged
  for (size_t i = 0; i < text.size();) {
    if (!special[static_cast<unsigned char>(text[i])]) {
      ++i;
      continue;
    }
    out += text.substr(plain, i - plain);
    i += append_special(out, text.substr(i));
    plain = i;
  }
  out += text.substr(plain);
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

void JsonWriter::plain_text(std::string_view value) {
  before_value();
  out_ += '"';
  out_ += value;
  out_ += '"';
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

#include "render/json_writer.h"

#include <array>
#include <charconv>

namespace sunup::render {
namespace {

constexpr std::array<bool, 256> special_bytes() {
  std::array<bool, 256> special{};
  for (size_t c = 0; c < 0x20; ++c) special[c] = true;
  for (const unsigned char c : {'"', '\\', '<', '>', '&'}) special[c] = true;
  special[0xE2] = true;  // U+2028 and U+2029 start with it
  return special;
}
constexpr auto kSpecial = special_bytes();

constexpr std::string_view kLineSeparator = "\xE2\x80\xA8", kParagraphSeparator = "\xE2\x80\xA9";

// Writes the escape of what `rest` starts with and returns how many bytes that was.
size_t append_escape(std::string& out, std::string_view rest) {
  const auto c = static_cast<unsigned char>(rest[0]);
  switch (c) {
    case '"':
      out += "\\\"";
      return 1;
    case '\\':
      out += "\\\\";
      return 1;
    case '\b':
      out += "\\b";
      return 1;
    case '\f':
      out += "\\f";
      return 1;
    case '\n':
      out += "\\n";
      return 1;
    case '\r':
      out += "\\r";
      return 1;
    case '\t':
      out += "\\t";
      return 1;
    case 0xE2:
      if (rest.starts_with(kLineSeparator)) {
        out += "\\u2028";
        return kLineSeparator.size();
      }
      if (rest.starts_with(kParagraphSeparator)) {
        out += "\\u2029";
        return kParagraphSeparator.size();
      }
      out += rest[0];
      return 1;
    default: {
      constexpr char kHex[] = "0123456789abcdef";
      out += "\\u00";
      out += kHex[c >> 4];
      out += kHex[c & 15];
      return 1;
    }
  }
}

}  // namespace

void append_json_string(std::string& out, std::string_view text) {
  out += '"';
  size_t plain = 0;  // start of the run that needs no escape
  for (size_t i = 0; i < text.size();) {
    if (!kSpecial[static_cast<unsigned char>(text[i])]) {
      ++i;
      continue;
    }
    out += text.substr(plain, i - plain);
    i += append_escape(out, text.substr(i));
    plain = i;
  }
  out += text.substr(plain);
  out += '"';
}

void JsonWriter::new_line() {
  out_ += '\n';
  out_.append(depth_ * indent_, ' ');
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
  append_json_string(out_, name);
  out_ += ": ";
  after_key_ = true;
}

void JsonWriter::text(std::string_view value) {
  before_value();
  append_json_string(out_, value);
}

void JsonWriter::number(int64_t value) {
  before_value();
  char buffer[24];
  out_.append(buffer, std::to_chars(buffer, buffer + sizeof buffer, value).ptr);
}

void JsonWriter::boolean(bool value) {
  before_value();
  out_ += value ? "true" : "false";
}

}  // namespace sunup::render

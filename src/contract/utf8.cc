#include "contract/utf8.h"

namespace sunup::contract {

size_t utf8_sequence_length(std::string_view text) {
  if (text.empty()) return 0;
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  if (first < 0x80) return 1;
  const size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || first > 0xF4 || text.size() < length) return 0;
  for (size_t i = 1; i < length; ++i)
    if ((byte(i) & 0xC0) != 0x80) return 0;
  const unsigned char second = byte(1);
  if (first == 0xE0 && second < 0xA0) return 0;  // overlong
  if (first == 0xED && second > 0x9F) return 0;  // surrogate
  if (first == 0xF0 && second < 0x90) return 0;  // overlong
  if (first == 0xF4 && second > 0x8F) return 0;  // beyond U+10FFFF
  return length;
}

void append_utf8(uint32_t code, std::string& out) {
  const auto push = [&](uint32_t byte) { out += static_cast<char>(byte); };
  if (code < 0x80) {
    push(code);
  } else if (code < 0x800) {
    push(0xC0 | code >> 6);
    push(0x80 | (code & 0x3F));
  } else if (code < 0x10000) {
    push(0xE0 | code >> 12);
    push(0x80 | (code >> 6 & 0x3F));
    push(0x80 | (code & 0x3F));
  } else {
    push(0xF0 | code >> 18);
    push(0x80 | (code >> 12 & 0x3F));
    push(0x80 | (code >> 6 & 0x3F));
    push(0x80 | (code & 0x3F));
  }
}

std::string quoted_excerpt(std::string_view text, size_t limit) {
  static constexpr char kHex[] = "0123456789abcdef";
  std::string out = "\"";
  size_t shown = 0;
  for (size_t i = 0; i < text.size(); ++shown) {
    if (shown == limit) {
      out += "...";
      break;
    }
    const size_t n = utf8_sequence_length(text.substr(i));
    const unsigned char c = static_cast<unsigned char>(text[i]);
    const std::string_view sequence = text.substr(i, n);
    // C1 controls and the line separators would break a line or move a terminal's cursor just like the C0 ones.
    const bool awkward = n == 0 || c < 0x20 || c == 0x7F || (n == 2 && c == 0xC2 && (text[i + 1] & 0xE0) == 0x80) ||
                         sequence == "\u2028" || sequence == "\u2029";
    if (c == '"' || c == '\\') {
      out += '\\';
      out += text[i];
    } else if (awkward) {
      for (const char b : n == 0 ? text.substr(i, 1) : sequence) {
        const unsigned char u = static_cast<unsigned char>(b);
        out += "\\x";
        out += kHex[u >> 4];
        out += kHex[u & 15];
      }
    } else {
      out += sequence;
    }
    i += n == 0 ? 1 : n;
  }
  out += '"';
  return out;
}

}  // namespace sunup::contract

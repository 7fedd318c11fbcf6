#include "contract/quoted_excerpt.h"

#include "base/url.h"
#include "base/utf8.h"

namespace sunup::contract {

std::string quoted_excerpt(std::string_view value, size_t limit) {
  // Redact before truncating: half a password is not recognized.
  const std::string shown_text = without_url_credentials(value, "(secret)");
  const std::string_view text = shown_text;
  static constexpr char kHex[] = "0123456789abcdef";
  std::string out = "\"";
  size_t shown = 0;
  for (size_t i = 0; i < text.size(); ++shown) {
    if (shown == limit) {
      out += "...";
      break;
    }
    const Rune rune = first_rune(text.substr(i));
    const std::string_view bytes = text.substr(i, rune.size);
    // C1 controls and line separators break a line or move a terminal's cursor, like C0 controls.
    const bool awkward = !rune.valid() || rune.code < 0x20 || (rune.code >= 0x7F && rune.code < 0xA0) ||
                         rune.code == 0x2028 || rune.code == 0x2029;
    if (rune.code == '"' || rune.code == '\\') {
      out += '\\';
      out += text[i];
    } else if (awkward) {
      for (const char b : bytes) {
        const unsigned char u = static_cast<unsigned char>(b);
        out += "\\x";
        out += kHex[u >> 4];
        out += kHex[u & 15];
      }
    } else {
      out += bytes;
    }
    i += rune.size;
  }
  out += '"';
  return out;
}

}  // namespace sunup::contract

#include "render/text.h"

namespace sunup::render {
namespace {

// How many bytes of white space `text` starts with: the length of one code point, or 0.
size_t leading_white_space(std::string_view text) {
  if (text.empty()) return 0;
  const auto byte = [&](size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0; };
  switch (byte(0)) {
    case ' ':
    case '\t':
    case '\n':
    case '\v':
    case '\f':
    case '\r':
      return 1;
    case 0xC2:
      return byte(1) == 0x85 || byte(1) == 0xA0 ? 2 : 0;
    case 0xE1:
      return byte(1) == 0x9A && byte(2) == 0x80 ? 3 : 0;
    case 0xE2:
      if (byte(1) == 0x81) return byte(2) == 0x9F ? 3 : 0;
      if (byte(1) != 0x80) return 0;
      return (byte(2) >= 0x80 && byte(2) <= 0x8A) || byte(2) == 0xA8 || byte(2) == 0xA9 || byte(2) == 0xAF ? 3 : 0;
    case 0xE3:
      return byte(1) == 0x80 && byte(2) == 0x80 ? 3 : 0;
    default:
      return 0;
  }
}

size_t trailing_white_space(std::string_view text) {
  for (size_t length = 1; length <= 3 && length <= text.size(); ++length)
    if (leading_white_space(text.substr(text.size() - length)) == length) return length;
  return 0;
}

char ascii_lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

constexpr std::string_view kCapitalDottedI = "\xC4\xB0";  // U+0130
constexpr std::string_view kLongS = "\xC5\xBF";           // U+017F
constexpr std::string_view kKelvinSign = "\xE2\x84\xAA";  // U+212A

}  // namespace

std::string without_white_space(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const size_t space = leading_white_space(text);
    if (space == 0) out += text[0];
    text.remove_prefix(space == 0 ? 1 : space);
  }
  return out;
}

std::string_view trimmed(std::string_view text) {
  while (const size_t space = leading_white_space(text)) text.remove_prefix(space);
  while (const size_t space = trailing_white_space(text)) text.remove_suffix(space);
  return text;
}

std::vector<std::string_view> words(std::string_view text) {
  std::vector<std::string_view> out;
  for (text = trimmed(text); !text.empty(); text = trimmed(text)) {
    size_t end = 0;
    while (end < text.size() && leading_white_space(text.substr(end)) == 0) ++end;
    out.push_back(text.substr(0, end));
    text.remove_prefix(end);
  }
  return out;
}

std::string without_newlines(std::string_view text) {
  std::string out(text);
  std::erase_if(out, [](char c) { return c == '\n' || c == '\r'; });
  return out;
}

std::string lower_cased(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    size_t length = 1;
    if (text.starts_with(kCapitalDottedI)) {
      out += 'i';
      length = kCapitalDottedI.size();
    } else if (text.starts_with(kKelvinSign)) {
      out += 'k';
      length = kKelvinSign.size();
    } else {
      out += ascii_lower(text[0]);
    }
    text.remove_prefix(length);
  }
  return out;
}

bool equal_fold(std::string_view text, std::string_view ascii) {
  for (const char want : ascii) {
    const char letter = ascii_lower(want);
    if (letter == 'k' && text.starts_with(kKelvinSign)) {
      text.remove_prefix(kKelvinSign.size());
    } else if (letter == 's' && text.starts_with(kLongS)) {
      text.remove_prefix(kLongS.size());
    } else if (!text.empty() && ascii_lower(text[0]) == letter) {
      text.remove_prefix(1);
    } else {
      return false;
    }
  }
  return text.empty();
}

}  // namespace sunup::render

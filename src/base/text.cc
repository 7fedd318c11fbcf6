#include "base/text.h"

#include <algorithm>

namespace sunup {
namespace {

// The length of the white space code point at the start of `text`, or 0.
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

constexpr std::string_view kCapitalDottedI = "\xC4\xB0";  // U+0130
constexpr std::string_view kLongS = "\xC5\xBF";           // U+017F
constexpr std::string_view kKelvinSign = "\xE2\x84\xAA";  // U+212A

}  // namespace

std::string lowered(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = to_lower(c);
  return out;
}

std::string uppered(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = to_upper(c);
  return out;
}

bool equal_ignoring_case(std::string_view a, std::string_view b) {
  return std::ranges::equal(a, b, {}, to_lower, to_lower);
}

bool is_blank(std::string_view text) {
  return text.find_first_not_of(kWhiteSpace) == std::string_view::npos;
}

std::string_view trimmed(std::string_view text) {
  const size_t first = text.find_first_not_of(kWhiteSpace);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kWhiteSpace) - first + 1);
}

std::string without_newlines(std::string_view text) {
  std::string out(text);
  std::erase_if(out, [](char c) { return c == '\n' || c == '\r'; });
  return out;
}

bool is_identifier(std::string_view text) {
  return !text.empty() && !is_digit(text.front()) &&
         std::ranges::all_of(text, [](char c) { return is_alphanumeric(c) || c == '_'; });
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (true) {
    const size_t at = text.find(separator);
    parts.push_back(text.substr(0, at));
    if (at == std::string_view::npos) return parts;
    text.remove_prefix(at + 1);
  }
}

std::vector<std::string_view> words(std::string_view text) {
  std::vector<std::string_view> out;
  for (text = trimmed(text); !text.empty(); text = trimmed(text)) {
    out.push_back(text.substr(0, text.find_first_of(kWhiteSpace)));
    text.remove_prefix(out.back().size());
  }
  return out;
}

std::string_view take_until(std::string_view& text, char end) {
  const std::string_view taken = text.substr(0, text.find(end));
  text.remove_prefix(std::min(taken.size() + 1, text.size()));
  return taken;
}

namespace unicode {

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

std::string lowered(std::string_view text) {
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
      out += to_lower(text[0]);
    }
    text.remove_prefix(length);
  }
  return out;
}

bool equal_fold(std::string_view text, std::string_view ascii) {
  for (const char want : ascii) {
    const char letter = to_lower(want);
    if (letter == 'k' && text.starts_with(kKelvinSign)) {
      text.remove_prefix(kKelvinSign.size());
    } else if (letter == 's' && text.starts_with(kLongS)) {
      text.remove_prefix(kLongS.size());
    } else if (!text.empty() && to_lower(text[0]) == letter) {
      text.remove_prefix(1);
    } else {
      return false;
    }
  }
  return text.empty();
}

size_t length(std::string_view utf8) {
  return static_cast<size_t>(std::ranges::count_if(utf8, [](unsigned char c) { return (c & 0xC0) != 0x80; }));
}

}  // namespace unicode

}  // namespace sunup

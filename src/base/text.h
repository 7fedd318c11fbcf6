// Small text operations. Letters, digits and white space are those of ASCII, regardless of the locale; `unicode`
// contains the Unicode rules that the contract uses.
#pragma once

#include <charconv>
#include <concepts>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace sunup {

constexpr bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
constexpr bool is_upper(char c) {
  return c >= 'A' && c <= 'Z';
}
constexpr bool is_lower(char c) {
  return c >= 'a' && c <= 'z';
}
constexpr bool is_letter(char c) {
  return is_lower(c) || is_upper(c);
}
constexpr bool is_alphanumeric(char c) {
  return is_letter(c) || is_digit(c);
}
constexpr char to_lower(char c) {
  return is_upper(c) ? static_cast<char>(c - 'A' + 'a') : c;
}
constexpr char to_upper(char c) {
  return is_lower(c) ? static_cast<char>(c - 'a' + 'A') : c;
}
// The value of a hexadecimal digit in either case; -1 for any other character.
constexpr int hex_digit(char c) {
  if (is_digit(c)) return c - '0';
  const char lower = to_lower(c);
  return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

inline constexpr std::string_view kWhiteSpace = " \t\n\v\f\r";

std::string lowered(std::string_view text);
std::string uppered(std::string_view text);
bool equal_ignoring_case(std::string_view a, std::string_view b);

// Only white space, or empty.
bool is_blank(std::string_view text);
std::string_view trimmed(std::string_view text);
std::string without_newlines(std::string_view text);  // drops every LF and CR

// Letters, digits and '_', not starting with a digit: a valid name of a shell variable.
bool is_identifier(std::string_view text);

// The parts between separators: one more than there are separators, so an empty text has one empty part.
std::vector<std::string_view> split(std::string_view text, char separator);
// The runs of characters that are not white space.
std::vector<std::string_view> words(std::string_view text);
// The parts refer to the text, so it must not be a temporary object: a range-based for loop would use it after its end.
template <std::same_as<std::string> Temporary>
std::vector<std::string_view> split(Temporary&& text, char separator) = delete;
template <std::same_as<std::string> Temporary>
std::vector<std::string_view> words(Temporary&& text) = delete;
// Removes the text before the first `end`, and the `end` itself, from the front of `text` and returns it; all of it if
// there is no `end`.
//   while (!text.empty()) use(take_until(text, '\n'));
std::string_view take_until(std::string_view& text, char end);

// The whole text as a number in this base; '-' is allowed, '+' and blanks are not.
template <class Number>
std::optional<Number> as_number(std::string_view text, int base = 10) {
  Number value = 0;
  const char* const end = text.data() + text.size();
  std::from_chars_result read;
  if constexpr (std::is_floating_point_v<Number>)
    read = std::from_chars(text.data(), end, value);
  else
    read = std::from_chars(text.data(), end, value, base);
  if (read.ec != std::errc() || read.ptr != end) return std::nullopt;
  return value;
}

template <class Strings>
std::string joined(const Strings& items, std::string_view separator) {
  std::string out;
  bool first = true;
  for (const auto& item : items) {
    if (!first) out += separator;
    first = false;
    out += item;
  }
  return out;
}

namespace unicode {

// White space is U+0009-000D, 0020, 0085, 00A0, 1680, 2000-200A, 2028, 2029, 202F, 205F, 3000.
std::string without_white_space(std::string_view text);
std::string_view trimmed(std::string_view text);
std::vector<std::string_view> words(std::string_view text);

// ASCII lower-casing, plus the two other code points whose lower case is ASCII (U+0130 -> i, U+212A -> k).
std::string lowered(std::string_view text);

// Whether both are equal except for case. Simple case folding, where U+212A is also a 'k' and U+017F an 's'. `ascii`
// must be ASCII.
bool equal_fold(std::string_view text, std::string_view ascii);

// The number of code points in UTF-8.
size_t length(std::string_view utf8);

}  // namespace unicode

}  // namespace sunup

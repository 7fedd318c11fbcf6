#include "base/version.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "base/text.h"

namespace sunup {
namespace {

bool is_identifier_char(char c) {
  return is_alphanumeric(c) || c == '-';
}

// Dot-separated non-empty runs of identifier characters; optionally, numeric ones must not have leading zeros.
bool valid_identifiers(std::string_view text, bool no_leading_zeros) {
  while (true) {
    const size_t dot = text.find('.');
    const std::string_view part = text.substr(0, dot);
    if (part.empty() || !std::all_of(part.begin(), part.end(), is_identifier_char)) return false;
    if (no_leading_zeros && part.size() > 1 && part[0] == '0' && std::all_of(part.begin(), part.end(), is_digit))
      return false;
    if (dot == std::string_view::npos) return true;
    text.remove_prefix(dot + 1);
  }
}

// Removes the leading run of digits and returns it without leading zeros.
std::string_view take_number(std::string_view& text) {
  std::string_view digits = text.substr(0, text.find_first_not_of("0123456789"));
  text.remove_prefix(digits.size());
  while (digits.size() > 1 && digits.front() == '0') digits.remove_prefix(1);
  return digits;
}

// The numbers of a package version; missing ones are 0.
std::optional<std::array<uint64_t, 3>> package_numbers(std::string_view text) {
  text = text.substr(0, text.find_first_of("+~-"));
  if (text.starts_with('v')) text.remove_prefix(1);
  std::array<uint64_t, 3> numbers{};
  for (size_t i = 0; i < numbers.size() && !text.empty(); ++i) {
    const std::string_view digits = take_number(text);
    if (digits.empty() || digits.size() > 9 || (!text.empty() && text.front() != '.')) return std::nullopt;
    numbers[i] = static_cast<uint64_t>(*as_number<int64_t>(digits));
    if (!text.empty()) text.remove_prefix(1);
  }
  return numbers;
}

}  // namespace

std::optional<Version> Version::parse(std::string_view text) {
  Version version;
  if (text.starts_with('v')) text.remove_prefix(1);
  if (const size_t plus = text.find('+'); plus != std::string_view::npos) {
    version.build = text.substr(plus + 1);
    if (!valid_identifiers(version.build, false)) return std::nullopt;
    text = text.substr(0, plus);
  }
  if (const size_t dash = text.find('-'); dash != std::string_view::npos) {
    version.prerelease = text.substr(dash + 1);
    if (!valid_identifiers(version.prerelease, true)) return std::nullopt;
    text = text.substr(0, dash);
  }
  for (uint64_t* number : {&version.major, &version.minor, &version.patch}) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), *number);
    if (error != std::errc()) return std::nullopt;
    text.remove_prefix(static_cast<size_t>(end - text.data()));
    if (text.empty()) return version;
    if (text[0] != '.') return std::nullopt;
    text.remove_prefix(1);
  }
  return std::nullopt;  // something after the third number
}

bool Version::at_least(uint64_t want_major, uint64_t want_minor, uint64_t want_patch) const {
  const auto want = std::tie(want_major, want_minor, want_patch);
  return numbers() > want || (numbers() == want && prerelease.empty());
}

bool version_at_least(std::string_view text, uint64_t major, uint64_t minor, uint64_t patch, VersionPolicy policy) {
  if (policy == VersionPolicy::kPackage) {
    const auto numbers = package_numbers(text);
    return numbers && *numbers >= std::array{major, minor, patch};
  }
  const auto version = Version::parse(text);
  return version && version->at_least(major, minor, patch);
}

std::strong_ordering natural_order(std::string_view a, std::string_view b) {
  while (!a.empty() && !b.empty()) {
    if (is_digit(a.front()) && is_digit(b.front())) {
      const std::string_view left = take_number(a);
      const std::string_view right = take_number(b);
      if (left.size() != right.size()) return left.size() <=> right.size();
      if (const int order = left.compare(right); order != 0) return order <=> 0;
    } else {
      if (a.front() != b.front()) return a.front() <=> b.front();
      a.remove_prefix(1);
      b.remove_prefix(1);
    }
  }
  return a.size() <=> b.size();
}

}  // namespace sunup

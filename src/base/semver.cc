#include "base/semver.h"

#include <algorithm>
#include <charconv>
#include <tuple>

#include "base/text.h"

namespace sunup {
namespace {

bool is_identifier_char(char c) {
  return is_alphanumeric(c) || c == '-';
}

// Dot-separated non-empty runs of identifier characters; numeric ones without leading zeros if asked for.
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
  const auto mine = std::tie(major, minor, patch);
  const auto want = std::tie(want_major, want_minor, want_patch);
  return mine > want || (mine == want && prerelease.empty());
}

bool version_at_least(std::string_view text, uint64_t major, uint64_t minor, uint64_t patch) {
  const auto version = Version::parse(text);
  return version && version->at_least(major, minor, patch);
}

}  // namespace sunup

// Version numbers, compared in one of two ways, and texts with numbers in them in their natural order.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>

namespace sunup {

struct Version {
  uint64_t major = 0;
  uint64_t minor = 0;
  uint64_t patch = 0;
  std::string prerelease;  // without the '-'; empty: a release
  std::string build;       // without the '+'; plays no part in any comparison

  // A lenient semantic version: optional lower-case 'v', one to three numbers, optional prerelease and build; nothing
  // else, no white space. "v1.34", "1.34.0-alpha.1", "1.34.1+x".
  static std::optional<Version> parse(std::string_view text);

  auto numbers() const { return std::tie(major, minor, patch); }
  // Is this at least the release major.minor.patch? A prerelease of exactly that release is not.
  bool at_least(uint64_t want_major, uint64_t want_minor, uint64_t want_patch) const;
};

enum class VersionPolicy : uint8_t {
  // As the contract compares: the text must be a version (see above), and a prerelease is older than its release.
  kSemantic,
  // As provisioning compares versions of packages ("1.34.1+azure", "1.35.0~rc1"): a suffix from the first '+', '~' or
  // '-' on plays no part, nor does a fourth number.
  kPackage,
};

// Is the version at least major.minor.patch? Never, if the text is no version.
bool version_at_least(std::string_view text, uint64_t major, uint64_t minor, uint64_t patch,
                      VersionPolicy policy = VersionPolicy::kSemantic);

inline bool package_at_least(std::string_view text, uint64_t major, uint64_t minor, uint64_t patch = 0) {
  return version_at_least(text, major, minor, patch, VersionPolicy::kPackage);
}

// Runs of digits compare as numbers, everything else byte by byte. "1.34.9" < "1.34.10".
std::strong_ordering natural_order(std::string_view a, std::string_view b);

}  // namespace sunup

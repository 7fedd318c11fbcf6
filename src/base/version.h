// Version numbers with two kinds of comparison, and the natural order of texts that contain numbers.
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
  std::string build;       // without the '+'; ignored by comparisons

  // A lenient semantic version: optional lower-case 'v', one to three numbers, optional prerelease and build; no other
  // text, no white space. "v1.34", "1.34.0-alpha.1", "1.34.1+x".
  static std::optional<Version> parse(std::string_view text);

  auto numbers() const { return std::tie(major, minor, patch); }
  // Whether this is at least the release major.minor.patch. A prerelease of exactly that release is not.
  bool at_least(uint64_t want_major, uint64_t want_minor, uint64_t want_patch) const;
};

enum class VersionPolicy : uint8_t {
  // The comparison of the contract: the text must be a version (see above), and a prerelease is older than its release.
  kSemantic,
  // The comparison that provisioning uses for versions of packages ("1.34.1+azure", "1.35.0~rc1"): a suffix from the
  // first '+', '~' or '-' on and a fourth number are ignored.
  kPackage,
};

// Whether the version is at least major.minor.patch. False if the text is not a version.
bool version_at_least(std::string_view text, uint64_t major, uint64_t minor, uint64_t patch,
                      VersionPolicy policy = VersionPolicy::kSemantic);

inline bool package_at_least(std::string_view text, uint64_t major, uint64_t minor, uint64_t patch = 0) {
  return version_at_least(text, major, minor, patch, VersionPolicy::kPackage);
}

// Runs of digits compare as numbers, everything else byte by byte. "1.34.9" < "1.34.10".
std::strong_ordering natural_order(std::string_view a, std::string_view b);

}  // namespace sunup

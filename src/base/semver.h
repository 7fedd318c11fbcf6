// Version numbers as the contract compares them (lenient semantic versions: "v1.34", "1.34.0-alpha.1", "1.34.1+x").
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace sunup {

struct Version {
  uint64_t major = 0;
  uint64_t minor = 0;
  uint64_t patch = 0;
  std::string prerelease;  // without the '-'; empty: a release
  std::string build;       // without the '+'; plays no part in any comparison

  // Optional lower-case 'v', one to three numbers, optional prerelease and build; nothing else, no white space.
  static std::optional<Version> parse(std::string_view text);

  // Is this at least the release major.minor.patch? A prerelease of exactly that release is not.
  bool at_least(uint64_t want_major, uint64_t want_minor, uint64_t want_patch) const;
};

// False when the text is not a version.
bool version_at_least(std::string_view text, uint64_t major, uint64_t minor, uint64_t patch);

}  // namespace sunup

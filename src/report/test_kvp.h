// Reads a key-value pool, for tests of what was written to it.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "report/kvp.h"

namespace sunup::report {

struct KvpPair {
  std::string key;
  std::string value;
};

// The records of a pool; a partial record at its end is ignored.
inline std::vector<KvpPair> kvp_pairs(std::string_view pool) {
  const auto until_zero = [](std::string_view field) {
    return std::string(field.substr(0, std::min(field.find('\0'), field.size())));
  };
  std::vector<KvpPair> pairs;
  for (; pool.size() >= kKvpKey + kKvpValue; pool.remove_prefix(kKvpKey + kKvpValue))
    pairs.push_back({until_zero(pool.substr(0, kKvpKey)), until_zero(pool.substr(kKvpKey, kKvpValue))});
  return pairs;
}

}  // namespace sunup::report

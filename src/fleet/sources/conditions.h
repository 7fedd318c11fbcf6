// Helpers for conditions over several fields of an object.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>

#include "base/json_member.h"

namespace sunup::fleet {

// `a <= b` (or `a < b`) if both are set.
template <class Compare>
bool ordered(const nlohmann::json& self, const char* a, const char* b, Compare compare) {
  const auto low = self.find(a);
  const auto high = self.find(b);
  if (low == self.end() || high == self.end()) return true;
  return compare(low->get<int64_t>(), high->get<int64_t>());
}

}  // namespace sunup::fleet

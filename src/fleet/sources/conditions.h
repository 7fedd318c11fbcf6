// Reads the fields of an object that are checked already, for its values and for conditions over several of them.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/json_member.h"

namespace sunup::fleet {

// The value of a field, unless it is missing or null.
template <class T>
void take(const nlohmann::json& from, const char* name, std::optional<T>& into) {
  if (const auto it = from.find(name); it != from.end() && !it->is_null()) into = it->get<T>();
}

// `a <= b` (or `a < b`) if both are set.
template <class Compare>
bool ordered(const nlohmann::json& self, const char* a, const char* b, Compare compare) {
  const auto low = self.find(a);
  const auto high = self.find(b);
  if (low == self.end() || high == self.end()) return true;
  return compare(low->get<int64_t>(), high->get<int64_t>());
}

}  // namespace sunup::fleet

// Helpers for conditions over several fields of an object.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>

namespace sunup::fleet {

// The text of a member; empty if there is none or it is not a string.
inline std::string text_of(const nlohmann::json& self, const char* name) {
  if (!self.is_object()) return "";
  const auto it = self.find(name);
  return it != self.end() && it->is_string() ? it->get<std::string>() : "";
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

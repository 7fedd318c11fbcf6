// Members of a JSON document that comes from elsewhere: a member of the wrong type counts as missing.
//
//   text_of(member_of(object, "metadata"), "name")
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace sunup {

// Null if `object` is not an object or has no such member.
inline const nlohmann::json& member_of(const nlohmann::json& object, std::string_view name) {
  static const nlohmann::json kNothing;
  if (!object.is_object()) return kNothing;
  const auto found = object.find(name);
  return found == object.end() ? kNothing : *found;
}

// Empty if it is not a string.
inline std::string text_of(const nlohmann::json& object, std::string_view name) {
  const nlohmann::json& value = member_of(object, name);
  return value.is_string() ? value.get<std::string>() : "";
}

}  // namespace sunup

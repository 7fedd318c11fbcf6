// Members of a JSON document that comes from elsewhere: a member of the wrong type counts as missing.
//
//   text_of(member_of(object, "metadata"), "name")
//
// And members of an object that is made of such a document, however many it has.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>

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

// Adds a member that the object does not have yet. The [] of ordered_json looks for the name first, one by one, so that
// it is not for objects with many members.
inline void append_member(nlohmann::ordered_json& object, std::string name, nlohmann::ordered_json value) {
  object.get_ref<nlohmann::ordered_json::object_t&>().emplace_back(std::move(name), std::move(value));
}

}  // namespace sunup

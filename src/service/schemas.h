// JSON Schemas that several routes share; they are components/schemas in the description of the API.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace sunup::service {

// {"type":"object"} with any members, for objects that the route itself checks, with findings about their members.
inline constexpr char kAnyObject[] = R"({"type":"object"})";
inline constexpr char kNodeConfig[] = R"({"$ref":"#/components/schemas/AKSNodeConfig"})";
inline constexpr char kError[] = R"({"$ref":"#/components/schemas/Error"})";

// A text that is one of these.
std::string one_of_schema(const std::vector<std::string_view>& names);
// The name of a distribution, and the name of an image's operating system, which only begins with a known name.
std::string distribution_schema();
std::string image_os_schema();

// The names in a table of pairs.
template <class Table>
std::vector<std::string_view> names_in(const Table& table) {
  std::vector<std::string_view> names;
  for (const auto& [name, value] : table) names.push_back(name);
  return names;
}

nlohmann::ordered_json shared_schemas();

}  // namespace sunup::service

// JSON Schemas that several routes share; they are components/schemas in the description of the API.
#pragma once

#include <nlohmann/json.hpp>

namespace sunup::service {

// {"type":"object"} with any members, for objects that the route itself checks, with findings about their members.
inline constexpr char kAnyObject[] = R"({"type":"object"})";
inline constexpr char kNodeConfig[] = R"({"$ref":"#/components/schemas/AKSNodeConfig"})";
inline constexpr char kError[] = R"({"$ref":"#/components/schemas/Error"})";

nlohmann::ordered_json shared_schemas();

}  // namespace sunup::service

// JSON Schemas that several routes share; in the API's description they are components/schemas.
#pragma once

#include <nlohmann/json.hpp>

namespace sunup::service {

// {"type":"object"} with any members: objects whose rules the route itself checks, with findings that name them.
inline constexpr char kAnyObject[] = R"({"type":"object"})";
inline constexpr char kNodeConfig[] = R"({"$ref":"#/components/schemas/AKSNodeConfig"})";
inline constexpr char kError[] = R"({"$ref":"#/components/schemas/Error"})";

nlohmann::ordered_json shared_schemas();

}  // namespace sunup::service

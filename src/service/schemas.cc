#include "service/schemas.h"

#include "contract/schema.h"

namespace sunup::service {
namespace {

using nlohmann::ordered_json;

// The schema is a document of its own; inside another one its references begin at its new place.
void move_references(ordered_json& node, const std::string& place) {
  if (node.is_object())
    if (const auto found = node.find("$ref"); found != node.end() && found->is_string())
      if (const auto& old = found->get_ref<const std::string&>(); old.starts_with("#")) *found = place + old.substr(1);
  if (node.is_structured())
    for (auto& child : node) move_references(child, place);
}

}  // namespace

ordered_json shared_schemas() {
  ordered_json config = ordered_json::parse(contract::json_schema());
  move_references(config, "#/components/schemas/AKSNodeConfig");
  config.erase("$schema");
  config.erase("$id");
  ordered_json schemas = ordered_json::parse(R"({
    "Error": {
      "type": "object",
      "required": ["error"],
      "properties": {
        "error": {"type": "string", "description": "what went wrong"},
        "hint": {"type": "string", "description": "what to do about it"},
        "errors": {
          "type": "array",
          "description": "every violated rule",
          "items": {
            "type": "object",
            "required": ["path", "rule", "message"],
            "properties": {
              "path": {"type": "string"},
              "rule": {"type": "string"},
              "message": {"type": "string"},
              "hint": {"type": "string"}
            }
          }
        }
      }
    }
  })");
  schemas["AKSNodeConfig"] = std::move(config);
  return schemas;
}

}  // namespace sunup::service

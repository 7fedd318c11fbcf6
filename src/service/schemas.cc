#include "service/schemas.h"

#include "contract/schema.h"

namespace sunup::service {
namespace {

using nlohmann::ordered_json;

// A schema is a document of its own. If it is embedded in another document, its references must begin at its new place.
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
    "Findings": {
      "type": "array",
      "items": {
        "type": "object",
        "required": ["severity", "rule", "path", "line", "column", "message", "hint"],
        "properties": {
          "severity": {"enum": ["error", "warning", "note"]},
          "rule": {"type": "string"},
          "path": {"type": "string"},
          "line": {"type": "integer", "description": "counted from 1; 0: no position in the text"},
          "column": {"type": "integer"},
          "message": {"type": "string"},
          "hint": {"type": "string"}
        }
      }
    },
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

#include "contract/schema.h"

#include <set>

#include "base/json_writer.h"
#include "contract/field_docs.h"

namespace sunup::contract {
namespace {

constexpr char kNumberPattern[] = "\"^-?(0|[1-9][0-9]*)(\\\\.[0-9]+)?([eE][+-]?[0-9]+)?$\"";

std::string reference(std::string_view definition) {
  return json_string("#/$defs/" + std::string(definition));
}

// The name of the definition for a value of the field: for a list its items, for a map its values.
std::string definition_of(const Field& field, bool nullable) {
  const std::string_view type = field.message       ? field.message->name()
                                : field.enumeration ? field.enumeration->name
                                                    : type_name(field.kind);
  return std::string(type) + (nullable ? "OrNull" : "");
}

class Schema {
 public:
  std::string run() {
    json_.begin_object();
    json_.raw_member("$schema", "\"https://json-schema.org/draft/2020-12/schema\"");
    json_.raw_member("title", "\"AKSNodeConfig v1\"");
    json_.raw_member("description",
                     json_string("The config of one AKS node. Every field may be written in snake_case or in "
                                 "camelCase; fields that are not listed are accepted and ignored."));
    json_.raw_member("$ref", reference("Configuration"));
    json_.raw_member("required", "[\"version\"]");
    json_.raw_member("properties",
                     "{\"version\": {\"enum\": [\"v1\", \"v0\"], \"description\": \"the version of the contract\"}}");
    json_.key("$defs");
    json_.begin_object();
    scalars();
    messages(configuration_fields());
    json_.end_object();
    json_.end_object();
    return std::move(json_).take() + "\n";
  }

 private:
  void scalars() {
    const std::string number = std::string(", \"pattern\": ") + kNumberPattern + "}";
    define("string", "{\"type\": \"string\"}");
    define("bool", "{\"type\": \"boolean\"}");
    define("int32",
           "{\"anyOf\": [{\"type\": \"integer\", \"minimum\": -2147483648, \"maximum\": 2147483647}, "
           "{\"type\": \"string\"" +
               number + "]}");
    define("double",
           "{\"anyOf\": [{\"type\": \"number\"}, {\"enum\": [\"NaN\", \"Infinity\", \"-Infinity\"]}, "
           "{\"type\": \"string\"" +
               number + "]}");
  }

  // Also defines "...OrNull": null means unset for a field, and is an error in a list or map.
  void define(const std::string& name, std::string_view json) {
    json_.raw_member(name, json);
    json_.raw_member(name + "OrNull", "{\"anyOf\": [{\"$ref\": " + reference(name) + "}, {\"type\": \"null\"}]}");
  }

  void enumeration(const EnumType& type) {
    const std::string name(type.name);
    if (!defined_.insert(name).second) return;
    std::string values;
    std::string text;
    for (const EnumValue& value : type.values) {
      values += (values.empty() ? "" : ", ") + json_string(value.name);
      text += (text.empty() ? "" : "; ") + std::string(value.name) + ": " + enum_value_meaning(type, value);
    }
    define(name, "{\"description\": " + json_string(text) + ", \"anyOf\": [{\"enum\": [" + values +
                     "]}, {\"type\": \"string\"}, {\"type\": \"integer\", \"minimum\": -2147483648, "
                     "\"maximum\": 2147483647}]}");
  }

  void messages(const MessageFields& message) {
    const std::string name(message.name());
    if (!defined_.insert(name).second) return;
    for (const Field& field : message.all()) {
      if (field.enumeration) enumeration(*field.enumeration);
      if (field.message) messages(*field.message);
    }
    json_.key(name);
    json_.begin_object();
    json_.raw_member("type", "\"object\"");
    json_.key("properties");
    json_.begin_object();
    for (const Field& field : message.all()) property(name, field);
    json_.end_object();
    json_.key("dependentSchemas");
    json_.begin_object();
    for (const Field& field : message.all())
      if (field.json_name != field.name)
        json_.raw_member(field.json_name, "{\"not\": {\"required\": [" + json_string(field.name) + "]}}");
    json_.end_object();
    json_.end_object();
    json_.raw_member(name + "OrNull", "{\"anyOf\": [{\"$ref\": " + reference(name) + "}, {\"type\": \"null\"}]}");
  }

  void property(const std::string& message, const Field& field) {
    json_.key(field.name);
    json_.begin_object();
    if (const std::string text = description(field); !text.empty()) json_.raw_member("description", json_string(text));
    if (field.is_map()) {
      json_.raw_member("type", "[\"object\", \"null\"]");
      json_.raw_member("additionalProperties", "{\"$ref\": " + reference(definition_of(field, false)) + "}");
    } else if (field.is_list()) {
      json_.raw_member("type", "[\"array\", \"null\"]");
      json_.raw_member("items", "{\"$ref\": " + reference(definition_of(field, false)) + "}");
    } else {
      json_.raw_member("$ref", reference(definition_of(field, true)));
    }
    if (field.secret) json_.raw_member("writeOnly", "true");
    json_.end_object();
    if (field.json_name != field.name)
      json_.raw_member(field.json_name,
                       "{\"$ref\": " + reference(message + "/properties/" + std::string(field.name)) + "}");
  }

  static std::string description(const Field& field) {
    for (const FieldDoc& doc : field_docs()) {
      if (doc.field != &field) continue;
      return doc.meaning + (doc.default_value.empty() ? "" : " Default: " + doc.default_value + ".");
    }
    return "";
  }

  JsonWriter json_{{.indent = 2, .escapes = JsonEscapes::kMinimal}};
  std::set<std::string> defined_;
};

}  // namespace

std::string json_schema() {
  return Schema().run();
}

}  // namespace sunup::contract

#include "contract/schema.h"

#include <set>
#include <vector>

#include "contract/field_docs.h"
#include "contract/write.h"

namespace sunup::contract {
namespace {

constexpr char kNumberPattern[] = "\"^-?(0|[1-9][0-9]*)(\\\\.[0-9]+)?([eE][+-]?[0-9]+)?$\"";

// A JSON text that is written from the top down.
class Writer {
 public:
  std::string take() { return std::move(out_) + "\n"; }
  void open(char bracket) {
    out_ += bracket;
    ++depth_;
    first_ = true;
  }
  void close(char bracket) {
    --depth_;
    if (!first_) line();
    out_ += bracket;
    first_ = false;
  }
  void member(std::string_view name) {
    item();
    out_ += json_string(name) + ": ";
  }
  void member(std::string_view name, std::string_view json) {
    member(name);
    out_ += json;
  }
  void item() {
    if (!first_) out_ += ',';
    first_ = false;
    line();
  }
  void raw(std::string_view json) { out_ += json; }

 private:
  void line() {
    out_ += '\n';
    out_.append(2 * depth_, ' ');
  }
  std::string out_;
  size_t depth_ = 0;
  bool first_ = true;
};

std::string reference(std::string_view definition) {
  return json_string("#/$defs/" + std::string(definition));
}

// What a value of the field is defined by: of a list its items, of a map its values.
std::string definition_of(const Field& field, bool nullable) {
  const std::string_view type = field.message       ? field.message->name()
                                : field.enumeration ? field.enumeration->name
                                                    : type_name(field.kind);
  return std::string(type) + (nullable ? "OrNull" : "");
}

class Schema {
 public:
  std::string run() {
    json_.open('{');
    json_.member("$schema", "\"https://json-schema.org/draft/2020-12/schema\"");
    json_.member("title", "\"AKSNodeConfig v1\"");
    json_.member("description",
                 json_string("The config of one AKS node. Every field may be written in snake_case or in "
                             "camelCase; fields that are not listed are accepted and ignored."));
    json_.member("$ref", reference("Configuration"));
    json_.member("required", "[\"version\"]");
    json_.member("properties", "{\"version\": {\"enum\": [\"v1\", \"v0\"]}}");
    json_.member("$defs");
    json_.open('{');
    scalars();
    messages(configuration_fields());
    json_.close('}');
    json_.close('}');
    return json_.take();
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

  // Also as "...OrNull": null means unset for a field, and is an error in a list or map.
  void define(const std::string& name, std::string_view json) {
    json_.member(name, json);
    json_.member(name + "OrNull", "{\"anyOf\": [{\"$ref\": " + reference(name) + "}, {\"type\": \"null\"}]}");
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
    json_.member(name);
    json_.open('{');
    json_.member("type", "\"object\"");
    json_.member("properties");
    json_.open('{');
    for (const Field& field : message.all()) property(name, field);
    json_.close('}');
    json_.member("dependentSchemas");
    json_.open('{');
    for (const Field& field : message.all())
      if (field.json_name != field.name)
        json_.member(field.json_name, "{\"not\": {\"required\": [" + json_string(field.name) + "]}}");
    json_.close('}');
    json_.close('}');
    json_.member(name + "OrNull", "{\"anyOf\": [{\"$ref\": " + reference(name) + "}, {\"type\": \"null\"}]}");
  }

  void property(const std::string& message, const Field& field) {
    json_.member(field.name);
    json_.open('{');
    if (const std::string text = description(field); !text.empty()) json_.member("description", json_string(text));
    if (field.is_map()) {
      json_.member("type", "[\"object\", \"null\"]");
      json_.member("additionalProperties", "{\"$ref\": " + reference(definition_of(field, false)) + "}");
    } else if (field.is_list()) {
      json_.member("type", "[\"array\", \"null\"]");
      json_.member("items", "{\"$ref\": " + reference(definition_of(field, false)) + "}");
    } else {
      json_.member("$ref", reference(definition_of(field, true)));
    }
    if (field.secret) json_.member("writeOnly", "true");
    json_.close('}');
    if (field.json_name != field.name)
      json_.member(field.json_name,
                   "{\"$ref\": " + reference(message + "/properties/" + std::string(field.name)) + "}");
  }

  static std::string description(const Field& field) {
    for (const FieldDoc& doc : field_docs()) {
      if (doc.field != &field) continue;
      return doc.meaning + (doc.default_value.empty() ? "" : " Default: " + doc.default_value + ".");
    }
    return "";
  }

  Writer json_;
  std::set<std::string> defined_;
};

}  // namespace

std::string json_schema() {
  return Schema().run();
}

}  // namespace sunup::contract

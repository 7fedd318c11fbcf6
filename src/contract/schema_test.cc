#include "contract/schema.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <regex>

#include "contract/fields.h"
#include "contract/load.h"

namespace sunup::contract {
namespace {

using nlohmann::json;

// The subset of JSON Schema that the schema uses. An unknown keyword fails the test.
class Validator {
 public:
  explicit Validator(json schema) : root_(std::move(schema)) {}
  bool accepts(const json& value) const { return valid(value, root_); }

 private:
  bool valid(const json& value, const json& schema) const {
    for (const auto& [keyword, rule] : schema.items())
      if (!holds(value, schema, keyword, rule)) return false;
    return true;
  }

  static bool has_type(const json& value, const std::string& type) {
    if (type == "object") return value.is_object();
    if (type == "array") return value.is_array();
    if (type == "string") return value.is_string();
    if (type == "boolean") return value.is_boolean();
    if (type == "null") return value.is_null();
    if (type == "number") return value.is_number();
    return value.is_number_integer() || (value.is_number() && value.get<double>() == std::floor(value.get<double>()));
  }

  bool holds(const json& value, const json& schema, const std::string& keyword, const json& rule) const {
    if (keyword == "$schema" || keyword == "title" || keyword == "description" || keyword == "$defs" ||
        keyword == "writeOnly")
      return true;
    if (keyword == "$ref") return valid(value, root_.at(json::json_pointer(rule.get<std::string>().substr(1))));
    if (keyword == "type") {
      if (rule.is_string()) return has_type(value, rule);
      return std::any_of(rule.begin(), rule.end(), [&](const json& type) { return has_type(value, type); });
    }
    if (keyword == "anyOf")
      return std::any_of(rule.begin(), rule.end(), [&](const json& option) { return valid(value, option); });
    if (keyword == "not") return !valid(value, rule);
    if (keyword == "enum") return std::find(rule.begin(), rule.end(), value) != rule.end();
    if (keyword == "minimum") return !value.is_number() || value.get<double>() >= rule.get<double>();
    if (keyword == "maximum") return !value.is_number() || value.get<double>() <= rule.get<double>();
    if (keyword == "pattern")
      return !value.is_string() || std::regex_search(value.get<std::string>(), std::regex(rule.get<std::string>()));
    if (keyword == "items") {
      return !value.is_array() ||
             std::all_of(value.begin(), value.end(), [&](const json& item) { return valid(item, rule); });
    }
    if (!value.is_object()) return true;  // the remaining keywords apply to objects
    if (keyword == "required")
      return std::all_of(rule.begin(), rule.end(), [&](const json& name) { return value.contains(name); });
    if (keyword == "properties" || keyword == "dependentSchemas") {
      for (const auto& [name, inner] : rule.items())
        if (value.contains(name) && !valid(keyword == "properties" ? value[name] : value, inner)) return false;
      return true;
    }
    if (keyword == "additionalProperties") {
      for (const auto& [name, inner] : value.items())
        if (!schema.value("properties", json::object()).contains(name) && !valid(inner, rule)) return false;
      return true;
    }
    ADD_FAILURE() << "the schema uses '" << keyword << "'";
    return false;
  }

  json root_;
};

const Validator& schema() {
  static const Validator kSchema(json::parse(json_schema()));
  return kSchema;
}

TEST(Schema, AcceptsWhatTheLoaderAccepts) {
  for (const char* good :
       {R"({"version":"v1"})", R"({"version":"v0"})", R"({"version":"v1","vm_size":"a","isVhd":null})",
        R"({"version":"v1","cse_timeout":"1e2","cluster_config":{"cloudProviderConfig":{"backoffExponent":"NaN"}}})",
        R"({"version":"v1","cse_timeout":100.0,"network_config":{"network_plugin":2,"networkPolicy":"FUTURE"}})",
        R"({"version":"v1","unknown":{"a":[1]},"kubelet_config":{"unknown":1,"kubelet_flags":{"--a":"b"}}})",
        R"({"version":"v1","custom_ca_certs":["a"],"auth_config":null,"enabled_features":null})",
        R"({"version":"v1","local_dns_profile":{"vnet_dns_overrides":{".":{"healthCheck":{"noRec":true}}}}})"}) {
    EXPECT_TRUE(load_text(good, "f").ok()) << good;
    EXPECT_TRUE(schema().accepts(json::parse(good))) << good;
  }
}

TEST(Schema, RefusesWhatTheLoaderRefuses) {
  for (const char* bad :
       {"[]", "{}", R"({"version":"v2"})", R"({"version":null})", R"({"version":"v1","vm_size":1})",
        R"({"version":"v1","vm_size":"a","vmSize":"a"})", R"({"version":"v1","is_kata":"true"})",
        R"({"version":"v1","cse_timeout":1.5})", R"({"version":"v1","cse_timeout":2147483648})",
        R"({"version":"v1","cse_timeout":" 1"})", R"({"version":"v1","custom_ca_certs":[null]})",
        R"({"version":"v1","enabled_features":{"A":null}})", R"({"version":"v1","auth_config":[]})",
        R"({"version":"v1","network_config":{"network_plugin":true}})",
        R"({"version":"v1","kubelet_config":{"kubelet_config_file_config":{"feature_gates":{"A":"true"}}}})"}) {
    EXPECT_FALSE(load_text(bad, "f").ok()) << bad;
    EXPECT_FALSE(schema().accepts(json::parse(bad))) << bad;
  }
}

void expect_described(const MessageFields& message, const json& definitions) {
  const json& properties = definitions.at(std::string(message.name())).at("properties");
  for (const Field& field : message.all()) {
    const std::string name(field.name);
    ASSERT_TRUE(properties.contains(name)) << message.name() << "." << name;
    EXPECT_TRUE(properties.contains(std::string(field.json_name))) << message.name() << "." << name;
    EXPECT_FALSE(properties[name].value("description", "").empty()) << message.name() << "." << name;
    if (field.message) expect_described(*field.message, definitions);
  }
}

TEST(Schema, DescribesEveryFieldUnderBothOfItsNames) {
  expect_described(configuration_fields(), json::parse(json_schema())["$defs"]);
}

}  // namespace
}  // namespace sunup::contract

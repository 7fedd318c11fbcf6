// The description of the API: complete, and true of what the routes accept and answer.
#include "service/openapi.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>
#include <tuple>

#include "service/router.h"
#include "service/scaling_cases.h"

namespace sunup::service {
namespace {

using nlohmann::json;
using scaling::example;
using scaling::resolve_body;

ApiResponse send(std::string_view method, std::string_view target, std::string_view body = "") {
  return handle(request_of(method, target, body));
}

// Checks that every reference inside the description can be resolved.
void expect_references(const json& node, const json& whole) {
  if (node.is_object() && node.contains("$ref")) {
    const std::string reference = node["$ref"];
    ASSERT_TRUE(reference.starts_with("#/")) << reference;
    EXPECT_TRUE(whole.contains(json::json_pointer(reference.substr(1)))) << reference;
  }
  if (node.is_structured())
    for (const json& child : node) expect_references(child, whole);
}

TEST(OpenApi, DescribesEveryRouteOnce) {
  EXPECT_EQ(send("GET", "/openapi.json").body, openapi());
  const json description = json::parse(openapi());
  EXPECT_EQ(description["openapi"], "3.1.0");
  size_t described = 0;
  for (const auto& [path, operations] : description["paths"].items()) described += operations.size();
  EXPECT_EQ(described, routes().size());
  for (const auto& operation : description["paths"]["/v1/resolve"]) {
    EXPECT_TRUE(operation["responses"].contains("200"));
    EXPECT_TRUE(operation["responses"].contains("401"));
    EXPECT_FALSE(operation.contains("security"));
  }
  EXPECT_EQ(description["paths"]["/healthz"]["get"]["security"], json::array());
  // What the server refuses before the route is JSON, whatever the route itself sends.
  const json& replies = description["paths"]["/getnodebootstrapdata"]["post"]["responses"];
  for (const auto& [status, reply] : replies.items()) {
    EXPECT_TRUE(reply["content"].contains("application/json")) << status;
  }
  EXPECT_TRUE(replies["400"]["content"].contains("text/plain"));
  expect_references(description, description);
}

// A name for each member, and for each schema in it, that has no type or no description.
void find_undescribed(const json& schema, const std::string& path, std::vector<std::string>& found) {
  const auto has_type = [](const json& one) {
    return one.contains("type") || one.contains("$ref") || one.contains("anyOf") || one.contains("enum");
  };
  const json members = schema.value("properties", json::object());
  for (const auto& [name, member] : members.items()) {
    if (!has_type(member) || !(member.contains("description") || member.contains("$ref")))
      found.push_back(path + "." + name);
    find_undescribed(member, path + "." + name, found);
  }
  for (const char* inner : {"items", "additionalProperties"})
    if (schema.contains(inner) && schema[inner].is_object()) {
      if (!has_type(schema[inner])) found.push_back(path + "[]");
      find_undescribed(schema[inner], path + "[]", found);
    }
  for (const json& one : schema.value("anyOf", json::array())) find_undescribed(one, path, found);
}

TEST(OpenApi, DescribesEveryMemberAndParameter) {
  const json description = json::parse(openapi());
  std::vector<std::string> found;
  for (const auto& [path, operations] : description["paths"].items())
    for (const auto& [method, operation] : operations.items()) {
      std::vector<json> bodies;
      if (operation.contains("requestBody")) bodies.push_back(operation["requestBody"]);
      for (const json& reply : operation["responses"]) bodies.push_back(reply);
      for (const json& body : bodies)
        for (const json& media : body.value("content", json::object())) find_undescribed(media["schema"], path, found);
      for (const json& parameter : operation.value("parameters", json::array()))
        if (parameter.value("description", "").empty() || !parameter["schema"].contains("type"))
          found.push_back(path + "?" + parameter["name"].get<std::string>());
    }
  for (const auto& [name, schema] : description["components"]["schemas"].items()) find_undescribed(schema, name, found);
  EXPECT_THAT(found, testing::IsEmpty());
}

// A name for each member of an answer that its schema does not have.
void find_unknown(const json& value, json schema, const json& whole, const std::string& path,
                  std::set<std::string>& found) {
  while (schema.contains("$ref")) {
    const json::json_pointer place(schema["$ref"].get<std::string>().substr(1));
    schema = json(whole[place]);
  }
  if (schema.contains("anyOf")) {  // an answer is described by one of them
    std::set<std::string> fewest;
    bool first = true;
    for (const json& one : schema["anyOf"]) {
      std::set<std::string> of_one;
      find_unknown(value, one, whole, path, of_one);
      if (first || of_one.size() < fewest.size()) fewest = of_one;
      first = false;
    }
    found.merge(fewest);
    return;
  }
  const std::string type = value.is_array() ? "array" : value.is_object() ? "object" : "";
  const json types = schema.value("type", json());
  if (!type.empty() && types != type &&
      !(types.is_array() && std::find(types.begin(), types.end(), type) != types.end()))
    found.insert(path + " is an " + type);
  if (value.is_array())
    for (const json& item : value) find_unknown(item, schema.value("items", json::object()), whole, path + "[]", found);
  if (!value.is_object() || !(schema.contains("properties") || schema.contains("additionalProperties"))) return;
  for (const auto& [name, member] : value.items()) {
    if (schema.value("properties", json::object()).contains(name))
      find_unknown(member, schema["properties"][name], whole, path + "." + name, found);
    else if (schema.contains("additionalProperties") && schema["additionalProperties"].is_object())
      find_unknown(member, schema["additionalProperties"], whole, path + "." + name, found);
    else
      found.insert(path + "." + name);
  }
}

TEST(OpenApi, DescribesEveryMemberOfTheAnswers) {
  const json description = json::parse(openapi());
  const json config = (*fleet::read_document_file(SUNUP_SOURCE_DIR "/examples/node/config.json"))[0].value;
  const json template_of_a_node = json::parse(send("POST", "/v1/resolve", resolve_body().dump()).body);
  json explained = resolve_body(), other = template_of_a_node;
  explained["format"] = "explain";
  other["tags"]["team"] = "b";
  const std::string documents = resolve_body()["nodePool"].dump() + "\n---\n" + resolve_body()["nodeClass"].dump() +
                                "\n---\n" + resolve_body()["settings"].dump();
  const std::tuple<const char*, std::string, std::string> requests[] = {
      {"post", "/v1/config/check", R"({"version":"v1","vm_size":5,"colour":"red"})"},
      {"get", "/v1/config/explain", ""},
      {"post", "/v1/config/diff", json{{"left", config}, {"right", {{"version", "v1"}, {"vm_size", "x"}}}}.dump()},
      {"post", "/v1/plan", config.dump()},
      {"post", "/v1/render/env", config.dump()},
      {"post", "/v1/render/custom-data", config.dump()},
      {"post", "/v1/render/vmss", config.dump()},
      {"get", "/v1/render/cse", ""},
      {"post", "/v1/render/files", config.dump()},
      {"post", "/v1/resolve", resolve_body().dump()},
      {"post", "/v1/resolve", explained.dump()},
      {"post", "/v1/drift", json{{"was", template_of_a_node}, {"is", other}}.dump()},
      {"post", "/v1/nodeclass/hash", example("nodeclass.yaml").dump()},
      {"get", "/v1/cluster-id?host=abc", ""},
      {"post", "/v1/resolve/check", documents},
      {"post", "/v1/status/parse", R"({"ExitCode":"51","Output":"x","Error":"","ExecDuration":"42"})"},
      {"get", "/v1/exit-codes", ""},
      {"post", "/getnodebootstrapdata", config.dump()},
  };
  for (const auto& [method, target, body] : requests) {
    const ApiResponse response = send(method == std::string("get") ? "GET" : "POST", target, body);
    ASSERT_EQ(response.status, 200) << target << ": " << response.body;
    const json& replies = description["paths"][target.substr(0, target.find('?'))][method]["responses"];
    std::set<std::string> found;
    find_unknown(json::parse(response.body), replies["200"]["content"]["application/json"]["schema"], description,
                 target, found);
    EXPECT_THAT(found, testing::IsEmpty());
  }
}

TEST(OpenApi, HasTheValuesThatARouteAccepts) {
  const json description = json::parse(openapi());
  const std::string config = R"({"version":"v1","kubernetes_version":"1.33.1"})";
  size_t tried = 0;
  for (const char* path : {"/v1/plan", "/v1/render/files", "/v1/render/custom-data", "/getnodebootstrapdata"})
    for (const json& parameter : description["paths"][path]["post"]["parameters"]) {
      const std::string query = std::string(path) + "?" + parameter["name"].get<std::string>() + "=";
      for (const char* values : {"enum", "examples"})
        for (const json& value : parameter["schema"].value(values, json::array())) {
          ++tried;
          const auto response = send("POST", query + value.get<std::string>(), config);
          // A config of a node may be refused for a distribution, but not its name.
          EXPECT_NE(response.status, 400) << query << value << response.body;
        }
      if (parameter["schema"].contains("enum")) EXPECT_EQ(send("POST", query + "beos", config).status, 400) << query;
      if (parameter["schema"].contains("pattern")) {
        const std::regex pattern(parameter["schema"]["pattern"].get<std::string>());
        for (const char* name : {"ubuntu2204", "CBLMariner", "AzureLinuxV3", "beos", "windows2022", "xubuntu", ""})
          EXPECT_EQ(std::regex_search(name, pattern), *name != '\0' && send("POST", query + name, config).status == 200)
              << name;
      }
    }
  EXPECT_GT(tried, 30u);
}

}  // namespace
}  // namespace sunup::service

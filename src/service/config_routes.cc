// Routes about configs, with the same output as `sunup config`.
#include <ctime>
#include <optional>

#include "contract/schema.h"
#include "contract/write.h"
#include "render/config_or_command.h"
#include "render/explain_field.h"
#include "render/node/config_changes.h"
#include "render/node/config_judgement.h"
#include "service/answers.h"
#include "service/routes.h"
#include "service/schemas.h"

namespace sunup::service {
namespace {

using contract::Finding;
using contract::Severity;
using nlohmann::ordered_json;

// The only response that depends on more than the request: certificates are valid at certain times.
ApiResponse check(const ApiRequest& request) {
  contract::Details details;
  render::NbcConfig command;
  const auto loaded = render::load_config_or_command(request.body, "request", command, &details);
  const std::vector<Finding> found =
      loaded ? render::node::judge_config(*loaded, details.places, std::time(nullptr), request.deadline)
             : std::vector{details.refusal};
  if (request.deadline.passed()) return refuse(503, Deadline::error());
  ordered_json findings = ordered_json::array();
  int counts[3] = {};
  for (const Finding& finding : found) {
    ++counts[static_cast<size_t>(finding.severity)];
    findings.push_back(render::node::finding_json(finding));
  }
  return answer({{"refused", !loaded.ok()},
                 {"findings", std::move(findings)},
                 {"errors", counts[static_cast<size_t>(Severity::kError)]},
                 {"warnings", counts[static_cast<size_t>(Severity::kWarning)]},
                 {"notes", counts[static_cast<size_t>(Severity::kNote)]}});
}

ApiResponse explain(const ApiRequest& request) {
  const auto explained = render::explain_field(request.query_value("field"));
  if (!explained) return refuse(404, explained.error());
  return answer(explained->json());
}

ApiResponse schema(const ApiRequest&) {
  return {.content_type = "application/schema+json", .body = contract::json_schema()};
}

// A config is an object, or a string with the text of a config or a command.
Result<render::node::ConfigToCompare> config_of(const nlohmann::json& body, const char* member) {
  if (!body.contains(member)) return Error(std::string(member) + " must be given");
  const nlohmann::json& value = body[member];
  render::NbcConfig command;
  auto loaded =
      render::load_config_or_command(value.is_string() ? value.get<std::string>() : value.dump(), member, command);
  if (!loaded) return std::move(loaded).error();
  return render::node::ConfigToCompare{*std::move(loaded), std::move(command.sent)};
}

ApiResponse diff(const ApiRequest& request) {
  const auto body = read_object(request);
  if (!body) return refuse(400, body.error());
  const auto left = config_of(*body, "left");
  if (!left) return refuse(422, left.error());
  const auto right = config_of(*body, "right");
  if (!right) return refuse(422, right.error());
  ordered_json changes = ordered_json::array();
  const auto found = render::node::config_changes(*left, *right, request.deadline);
  if (!found) return refuse(422, found.error());
  for (const auto& change : *found) changes.push_back(render::node::change_json(change));
  return answer(changes);
}

ApiResponse from_nbc(const ApiRequest& request) {
  const auto read = render::read_nbc_config(request.body);
  if (!read) return refuse(422, read.error());
  return {.body = contract::to_json(read->loaded.config)};
}

constexpr char kCheckReply[] = R"({
  "type": "object",
  "required": ["refused", "findings", "errors", "warnings", "notes"],
  "properties": {
    "refused": {"type": "boolean", "description": "the config cannot be read at all"},
    "findings": {"$ref": "#/components/schemas/Findings"},
    "errors": {"type": "integer", "description": "the number of findings that are errors"},
    "warnings": {"type": "integer", "description": "the number of findings that are warnings"},
    "notes": {"type": "integer", "description": "the number of findings that are notes"}
  }
})";
constexpr char kFields[] = R"({
  "type": "array",
  "description": "the fields; for a variable that no field determines, one object with that variable and its value",
  "items": {"type": "object", "properties": {
    "path": {"type": "string", "description": "the path of the field, with the names of the contract"},
    "json_name": {"type": "string", "description": "the other spelling that a config may use"},
    "type": {"type": "string", "description": "the type of its values, for people"},
    "optional": {"type": "boolean", "description": "whether an unset field differs from one with the default"},
    "meaning": {"type": "string", "description": "what it is"},
    "default": {"type": "string", "description": "what applies if it is not set; may be empty"},
    "example": {"type": "string", "description": "a value in JSON; may be empty"},
    "set_by": {"type": "string", "description": "who usually determines the value"},
    "variables": {"type": "array", "items": {"type": "string"}, "description": "the variables of the provisioning scripts that depend on it"},
    "files": {"type": "array", "items": {"type": "string"}, "description": "the files of a node that depend on it"},
    "secret": {"type": "boolean", "description": "whether its value is a credential"},
    "values": {"type": "array", "description": "the values of an enumeration; empty for other types", "items": {"type": "object", "properties": {
      "name": {"type": "string", "description": "the name of the value"},
      "number": {"type": "integer", "description": "the number of the value"},
      "meaning": {"type": "string", "description": "what the value means"}}}},
    "variable": {"type": "string", "description": "a variable that no field determines"},
    "value": {"type": "string", "description": "the value of that variable on every node"}
  }}
})";
constexpr char kDiffRequest[] = R"({"type":"object","required":["left","right"],"properties":{
  "left":{"type":["object","string"],"description":"a config, or the text of a config or a command"},
  "right":{"type":["object","string"],"description":"the other one"}}})";
constexpr char kChanges[] = R"({
  "type": "array",
  "items": {"type": "object", "required": ["path", "left", "right", "secret", "known", "variables", "files"], "properties": {
    "path": {"type": "string", "description": "the field"},
    "left": {"type": ["string", "null"], "description": "its value in JSON; null: not set; a secret is not shown"},
    "right": {"type": ["string", "null"], "description": "its value in the other config"},
    "secret": {"type": "boolean", "description": "whether its value is a credential"},
    "known": {"type": "boolean", "description": "whether the contract has the field"},
    "variables": {"type": "array", "items": {"type": "string"}, "description": "the variables of the provisioning scripts that differ because of it"},
    "files": {"type": "array", "items": {"type": "string"}, "description": "the files of the node that differ because of it"}
  }}
})";
constexpr char kTextBody[] = R"({"type":"string"})";

}  // namespace

std::vector<Route> config_routes() {
  const Reply refused{422, "A config is refused.", {kError}};
  return {
      {.method = "POST",
       .path = "/v1/config/check",
       .summary = "What is wrong with a config (or a command), where, and what to do",
       .caller = Caller::kClient,
       .request = {kNodeConfig},
       .replies = {{200, "The findings.", {kCheckReply}}},
       .handler = check},
      {.method = "GET",
       .path = "/v1/config/explain",
       .summary = "The meaning of a field, and where it is used on the node",
       .caller = Caller::kClient,
       .request = {},
       .replies = {{200, "The fields.", {kFields}}, {404, "There is no such field.", {kError}}},
       .handler = explain,
       .query = {{"field", "a path, a name, a variable, or a file of the node; default: all fields"}}},
      {.method = "POST",
       .path = "/v1/config/diff",
       .summary = "What differs between two configs, and what that changes on the node",
       .caller = Caller::kClient,
       .request = {kDiffRequest},
       .replies = {{200, "The differences.", {kChanges}}, refused},
       .handler = diff},
      {.method = "GET",
       .path = "/v1/config/schema",
       .summary = "The contract as a JSON Schema (2020-12)",
       .caller = Caller::kAnyone,
       .request = {},
       .replies = {{200, "The schema.", {kAnyObject, "application/schema+json"}}},
       .handler = schema},
      {.method = "POST",
       .path = "/v1/config/from-nbc",
       .summary = "The config that a command (--nbc-cmd) stands for, with its secrets",
       .caller = Caller::kClient,
       .request = {kTextBody, kText},
       .replies = {{200, "The config.", {kNodeConfig}}, refused},
       .handler = from_nbc},
  };
}

}  // namespace sunup::service

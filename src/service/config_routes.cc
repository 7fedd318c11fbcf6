// Routes about the text of a config, or of a command (--nbc-cmd) where a config is expected: what is wrong with it,
// what its fields are, what a change does to the node, and the plan of the node.
#include <ctime>
#include <memory>

#include "contract/explain.h"
#include "contract/schema.h"
#include "contract/write.h"
#include "plan/catalogue.h"
#include "plan/show.h"
#include "plan/unused_fields.h"
#include "render/config_or_command.h"
#include "render/cse_env.h"
#include "render/node/config_changes.h"
#include "render/node/judged_config.h"
#include "render/node/refusals.h"
#include "service/answers.h"
#include "service/routes.h"
#include "service/schemas.h"

namespace sunup::service {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;
namespace node = render::node;

ApiResponse check(const ApiRequest& request) {
  const node::JudgedConfig judged = node::judge_config(request.body, "request", std::time(nullptr));
  node::Tally tally;
  tally.add(judged.findings);
  return answer({{"refused", judged.refused},
                 {"findings", node::findings_json(judged.findings)},
                 {"errors", tally.errors},
                 {"warnings", tally.warnings},
                 {"notes", tally.notes}});
}

ApiResponse explain(const ApiRequest& request) {
  const std::string field = request.query_value("field");
  ordered_json all = ordered_json::array();
  if (field.empty()) {
    for (const contract::FieldDoc& doc : contract::field_docs()) all.push_back(contract::explain_json(doc));
    return answer(all);
  }
  const contract::Answer found = contract::find_field(field);
  for (const contract::FieldDoc* doc : found.fields) all.push_back(contract::explain_json(*doc));
  if (!all.empty()) return answer(all);
  const render::Environment constants = render::cse_environment({}, {});
  if (const auto constant = constants.find(field); constant != constants.end())
    return answer(ordered_json::array({{{"variable", constant->first}, {"value", constant->second}}}));
  Error error("the contract has no field '" + field + "'");
  for (const std::string& name : found.suggestions)
    error.hint += (error.hint.empty() ? "did you mean " : " or ") + name;
  if (!error.hint.empty()) error.hint += "?";
  return refuse(404, error);
}

ApiResponse schema(const ApiRequest&) {
  return {.body = contract::json_schema()};
}

// A member of the request: a config as an object, or the text of a config or a command.
Result<node::ComparedConfig> compared(const json& body, const char* member) {
  const auto found = body.find(member);
  if (found == body.end() || !(found->is_string() || found->is_object()))
    return Error(std::string(member) + " must be a config, or the text of a config or a command");
  const std::string text = found->is_string() ? found->get<std::string>() : found->dump();
  render::NbcConfig command;
  auto loaded = render::load_config_or_command(text, member, command);
  if (!loaded) return std::move(loaded).error();
  return node::ComparedConfig{*std::move(loaded), std::move(command.sent)};
}

ApiResponse diff(const ApiRequest& request) {
  const auto body = read_object(request);
  if (!body) return refuse(400, body.error());
  const auto left = compared(*body, "left");
  if (!left) return refuse(422, left.error());
  const auto right = compared(*body, "right");
  if (!right) return refuse(422, right.error());
  const auto changes = node::config_changes(*left, *right, request.deadline);
  if (!changes) return refuse(503, changes.error());
  return answer(node::changes_json(*changes));
}

ApiResponse from_nbc(const ApiRequest& request) {
  const auto read = render::read_nbc_config(request.body);
  if (!read) return refuse(422, read.error());
  ordered_json remarks = read->remarks;
  for (const contract::Finding& finding : read->loaded.findings)
    remarks.push_back(finding.path + ": " + finding.message);
  return answer(
      {{"config", ordered_json::parse(contract::to_json(read->loaded.config))}, {"remarks", std::move(remarks)}});
}

// The image has the programs of the config's Kubernetes version, under the names that images give them.
void add_kubernetes(const contract::Configuration& config, node::NodeFacts& facts) {
  std::string version = config.kubernetes_version();
  if (version.starts_with('v')) version.erase(0, 1);
  const bool extensions = node::traits(facts.distro).packages == node::PackageFormat::kSysext;
  for (const std::string tool : {"kubelet", "kubectl"})
    facts.paths.insert(extensions ? "/opt/" + tool + "/downloads/" + tool + "-v" + version + "-1-azlinux3-x86-64.raw"
                                  : "/opt/bin/" + tool + "-" + version);
}

// The plan is made for an image that has everything provisioning may use, because there is no image here to look at.
ApiResponse plan_of(const ApiRequest& request) {
  const std::string os = request.query_value("os");
  const auto distro = node::distro_by_name(os.empty() ? "ubuntu2204" : os);
  if (!distro) return refuse(400, Error("os must be one of the names of `sunup render files --os`"));
  render::NbcConfig command;
  auto loaded = render::load_config_or_command(request.body, "request", command);
  if (!loaded) return refuse(422, loaded.error());
  auto subject = std::make_shared<plan::Subject>();
  subject->config = std::move(loaded->config);
  subject->origins = std::move(command.origins);
  subject->facts = node::typical_node(*distro);
  subject->facts.sent = std::move(command.sent);
  add_kubernetes(subject->config, subject->facts);
  const auto graph = plan::derive(subject);
  if (!graph) {
    Error error = graph.error();
    error.what = plan::with_origin(std::move(error.what), subject->origins);
    return refuse(422, error);
  }
  ordered_json out = ordered_json::parse(plan::plan_json(*graph, subject.get()));
  out["assumed"] = {"a current image of " + std::string(node::traits(*distro).name) +
                        " that contains everything that provisioning may use",
                    "a metadata service that reports one network interface and no tags", "no hooks"};
  ordered_json unused = ordered_json::array();
  for (const plan::UnusedField& field : plan::unused_fields(subject->config))
    unused.push_back({{"path", field.path}, {"why", field.why}});
  out["unused"] = std::move(unused);
  return answer(out);
}

constexpr char kAnyText[] = R"({"type":"string"})";
constexpr char kCheckReply[] = R"({
  "type": "object",
  "required": ["refused", "findings", "errors", "warnings", "notes"],
  "properties": {
    "refused": {"type": "boolean", "description": "no part of the config can be used"},
    "findings": {"$ref": "#/components/schemas/Findings"},
    "errors": {"type": "integer"}, "warnings": {"type": "integer"}, "notes": {"type": "integer"}
  }
})";
constexpr char kExplainReply[] = R"({"type":"array","items":{"type":"object"}})";
constexpr char kDiffRequest[] = R"({
  "type": "object",
  "required": ["left", "right"],
  "properties": {
    "left": {"type": ["object", "string"], "description": "a config, or the text of a config or a command"},
    "right": {"type": ["object", "string"], "description": "another one"}
  }
})";
constexpr char kDiffReply[] = R"({
  "type": "array",
  "items": {
    "type": "object",
    "required": ["path", "left", "right", "secret", "known", "variables", "files"],
    "properties": {
      "path": {"type": "string"},
      "left": {"type": ["string", "null"], "description": "as JSON; null: unset"},
      "right": {"type": ["string", "null"]},
      "secret": {"type": "boolean"},
      "known": {"type": "boolean", "description": "false: the contract has no such field"},
      "variables": {"type": "array", "items": {"type": "string"}},
      "files": {"type": "array", "items": {"type": "string"}}
    }
  }
})";
constexpr char kFromNbcReply[] = R"({"type":"object","required":["config","remarks"],"properties":{
  "config":{"$ref":"#/components/schemas/AKSNodeConfig"},"remarks":{"type":"array","items":{"type":"string"}}}})";
constexpr char kPlanReply[] = R"({
  "type": "object",
  "required": ["milestone", "steps", "critical_path", "assumed", "unused"],
  "properties": {
    "milestone": {"type": "string"},
    "steps": {"type": "array", "items": {"type": "object", "required": ["name", "purpose", "needs", "after", "provides", "phase"]}},
    "critical_path": {"type": "array", "items": {"type": "string"}},
    "assumed": {"type": "array", "items": {"type": "string"}, "description": "about the image and the machine"},
    "unused": {"type": "array", "items": {"type": "object", "required": ["path", "why"]}}
  }
})";

}  // namespace

std::vector<Route> config_routes() {
  const Reply refused{422, "The config or the command is refused.", {kError}};
  return {
      {.method = "POST",
       .path = "/v1/config/check",
       .summary = "What is wrong with a config or a command, where, and what to do about it",
       .caller = Caller::kClient,
       .request = {kAnyText, kText},
       .replies = {{200, "The findings; also if the config is refused.", {kCheckReply}}},
       .handler = check},
      {.method = "GET",
       .path = "/v1/config/explain",
       .summary = "What fields of a config mean, and where they are used on the node",
       .caller = Caller::kClient,
       .request = {},
       .replies = {{200, "The fields.", {kExplainReply}}, {404, "There is no such field.", {kError}}},
       .handler = explain,
       .query = {{"field", "a path, a name, a variable or a file of the node; default: all fields"}}},
      {.method = "GET",
       .path = "/v1/config/schema",
       .summary = "The contract as a JSON Schema",
       .caller = Caller::kClient,
       .request = {},
       .replies = {{200, "The schema.", {kAnyObject}}},
       .handler = schema},
      {.method = "POST",
       .path = "/v1/config/diff",
       .summary = "What differs between two configs, and what each difference changes on the node",
       .caller = Caller::kClient,
       .request = {kDiffRequest},
       .replies = {{200, "The differences.", {kDiffReply}}, refused},
       .handler = diff},
      {.method = "POST",
       .path = "/v1/config/from-nbc",
       .summary = "The config that a command (--nbc-cmd) stands for",
       .caller = Caller::kClient,
       .request = {kAnyText, kText},
       .replies = {{200, "The config, and what it cannot express.", {kFromNbcReply}}, refused},
       .handler = from_nbc},
      {.method = "POST",
       .path = "/v1/plan",
       .summary = "The steps that a config or a command needs on a current image, and their order",
       .caller = Caller::kClient,
       .request = {kAnyText, kText},
       .replies = {{200, "The plan.", {kPlanReply}}, refused},
       .handler = plan_of,
       .query = {{"os", "the operating system of the image; default: ubuntu2204"}}},
  };
}

}  // namespace sunup::service

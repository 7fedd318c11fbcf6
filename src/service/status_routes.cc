// Routes about results of provisioning, and about the service itself.
#include "base/text.h"
#include "report/status.h"
#include "service/answers.h"
#include "service/exit_code_steps.h"
#include "service/openapi.h"
#include "service/routes.h"
#include "service/schemas.h"

namespace sunup::service {
namespace {

ApiResponse healthz(const ApiRequest&) {
  return {.content_type = std::string(kText), .body = "ok\n"};
}

ApiResponse description(const ApiRequest&) {
  return {.body = openapi()};
}

ApiResponse parse_status(const ApiRequest& request) {
  const report::StatusReport found = report::find_statuses(request.body);
  if (request.deadline.passed()) return refuse(503, Deadline::error());
  return {.body = report::verdict_json(found)};
}

ApiResponse exit_codes(const ApiRequest&) {
  auto all = nlohmann::ordered_json::array();
  for (const report::ExitCode& code : report::exit_codes()) all.push_back(exit_code_json(code));
  return answer(all);
}

ApiResponse exit_code(const ApiRequest& request) {
  const std::string_view wanted = request.parameter("code");
  const auto number = as_number<int64_t>(wanted);
  const report::ExitCode* code =
      number ? report::find_exit_code(static_cast<int>(*number)) : report::find_exit_code(wanted);
  if (code == nullptr) return refuse(404, Error("unknown exit code " + std::string(wanted)));
  return answer(exit_code_json(*code));
}

constexpr char kVerdict[] = R"({
  "type": "object",
  "required": ["verdict", "statuses", "platform"],
  "properties": {
    "verdict": {"type": "string", "enum": ["succeeded", "failed", "unknown"], "description": "of all nodes together"},
    "statuses": {"type": "array", "description": "one for each node", "items": {"type": "object", "properties": {
      "source": {"type": "string", "description": "where it was found"},
      "verdict": {"type": "string", "description": "of this node"},
      "exitCode": {"type": ["integer", "null"], "description": "null: there is none"},
      "name": {"type": "string", "description": "the name of the exit code"},
      "area": {"type": "string", "description": "the affected part of the node"},
      "step": {"type": "string", "description": "the failed step"},
      "meaning": {"type": "string", "description": "what the exit code means"},
      "remedy": {"type": "string", "description": "what to do about it"},
      "retryMayHelp": {"type": "boolean", "description": "whether a new attempt may succeed"},
      "error": {"type": "string", "description": "what the node says about its failure"},
      "hint": {"type": "string", "description": "what the node says to do about it"},
      "nodeVerdict": {"type": "string", "description": "what the node says about itself"},
      "output": {"type": "string", "description": "the end of the output of the step"},
      "durationSeconds": {"type": ["number", "null"], "description": "how long provisioning took"},
      "systemdSummary": {"type": "string", "description": "systemd's times of the boot"},
      "truncated": {"type": "boolean", "description": "the platform has cut the status off"},
      "inProgress": {"type": "boolean", "description": "provisioning has not ended"},
      "boot": {"type": "array", "description": "the moments of the boot", "items": {"type": "object", "properties": {
        "name": {"type": "string", "description": "the name in the status"},
        "label": {"type": "string", "description": "the name for people"},
        "time": {"type": "string", "description": "as the status has it"},
        "secondsAfterFirst": {"type": ["number", "null"], "description": "null: the time cannot be read"}}}}
    }}},
    "platform": {"type": "array", "description": "what the platform says", "items": {"type": "object", "properties": {
      "source": {"type": "string", "description": "the extension or the VM"},
      "code": {"type": "string", "description": "the code of the status"},
      "message": {"type": "string", "description": "the text of the status"}}}}
  }
})";

std::string exit_code_schema() {
  using report::FailureClass, report::Standing;
  std::vector<std::string_view> classes, standings;
  for (const auto one : {FailureClass::kNone, FailureClass::kQuota, FailureClass::kNetwork, FailureClass::kImage,
                         FailureClass::kConfig, FailureClass::kTransient})
    classes.push_back(report::name_of(one));
  for (const auto one : {Standing::kLive, Standing::kImageBuild, Standing::kReserved})
    standings.push_back(report::name_of(one));
  auto schema = nlohmann::ordered_json::parse(R"({
    "type": "object",
    "required": ["code", "name", "area", "step", "nativeSteps", "meaning", "remedy", "failureClass", "retryMayHelp",
                 "standing"],
    "properties": {
      "code": {"type": "integer", "description": "the number"},
      "name": {"type": "string", "description": "ERR_...; may be empty"},
      "area": {"type": "string", "description": "the affected part of the node"},
      "step": {"type": "string", "description": "the steps of the provisioning scripts that end with it; may be empty"},
      "nativeSteps": {"type": "array", "items": {"type": "string"}, "description": "the steps of native provisioning that end with it"},
      "meaning": {"type": "string", "description": "what it means"},
      "remedy": {"type": "string", "description": "what to do about it"},
      "failureClass": {"type": "string", "description": "what an autoscaler can act on; empty: no failure"},
      "retryMayHelp": {"type": "boolean", "description": "whether the same request may succeed if it is sent again"},
      "standing": {"type": "string", "description": "where it can come from"}
    }
  })");
  schema["properties"]["failureClass"]["enum"] = classes;
  schema["properties"]["standing"]["enum"] = standings;
  return schema.dump();
}

}  // namespace

std::vector<Route> status_routes() {
  const std::string one_code = exit_code_schema();
  return {
      {.method = "POST",
       .path = "/v1/status/parse",
       .summary = "Finds the result of provisioning in the output of the platform and explains it",
       .caller = Caller::kClient,
       .request = {R"({"type":"string"})", kText},
       .replies = {{200, "The verdict.", {kVerdict}}},
       .handler = parse_status},
      {.method = "GET",
       .path = "/v1/exit-codes",
       .summary = "The exit codes of provisioning",
       .caller = Caller::kClient,
       .request = {},
       .replies = {{200, "All of them.", {R"({"type":"array","items":)" + one_code + "}"}}},
       .handler = exit_codes},
      {.method = "GET",
       .path = "/v1/exit-codes/{code}",
       .summary = "An exit code, by number or by ERR_ name",
       .caller = Caller::kClient,
       .request = {},
       .replies = {{200, "Its meaning.", {one_code}}, {404, "There is no such code.", {kError}}},
       .handler = exit_code},
      {.method = "GET",
       .path = "/healthz",
       .summary = "Whether the server is alive",
       .caller = Caller::kAnyone,
       .request = {},
       .replies = {{200, "The server is alive.", {R"({"const":"ok\n"})", kText}}},
       .handler = healthz},
      {.method = "GET",
       .path = "/readyz",
       .summary = "Whether the server accepts requests: not when it is ending",
       .caller = Caller::kAnyone,
       .request = {},
       .replies = {{200, "The server is ready.", {R"({"const":"ok\n"})", kText}}},
       .handler = nullptr},
      {.method = "GET",
       .path = "/metrics",
       .summary = "The server's figures, in the text format of Prometheus",
       .caller = Caller::kClient,
       .request = {},
       .replies = {{200, "The figures.", {R"({"type":"string"})", kText}}},
       .handler = nullptr},
      {.method = "GET",
       .path = "/openapi.json",
       .summary = "This description",
       .caller = Caller::kAnyone,
       .request = {},
       .replies = {{200, "The description of the API.", {kAnyObject}}},
       .handler = description},
  };
}

}  // namespace sunup::service

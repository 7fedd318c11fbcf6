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

constexpr char kVerdict[] = R"({"type":"object"})";
constexpr char kExitCode[] = R"({
  "type": "object",
  "required": ["code", "name", "area", "step", "nativeSteps", "meaning", "remedy", "failureClass", "retryMayHelp",
               "standing"],
  "properties": {
    "code": {"type": "integer"},
    "failureClass": {"enum": ["", "quota", "network", "image", "config", "transient"]},
    "retryMayHelp": {"type": "boolean"}
  }
})";

}  // namespace

std::vector<Route> status_routes() {
  static const std::string exit_code_list = R"({"type":"array","items":)" + std::string(kExitCode) + "}";
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
       .replies = {{200, "All of them.", {exit_code_list}}},
       .handler = exit_codes},
      {.method = "GET",
       .path = "/v1/exit-codes/{code}",
       .summary = "An exit code, by number or by ERR_ name",
       .caller = Caller::kClient,
       .request = {},
       .replies = {{200, "Its meaning.", {kExitCode}}, {404, "There is no such code.", {kError}}},
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

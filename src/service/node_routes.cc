// The route to which a node sends the result of its provisioning: the content of the node's webhook call
// (report/failure.h), and the same for a success.
#include <cmath>

#include "base/utf8.h"
#include "fleet/sources/patterns.h"
#include "report/sent_result.h"
#include "service/answers.h"
#include "service/routes.h"
#include "service/schemas.h"

namespace sunup::service {
namespace {

using nlohmann::json;

constexpr size_t kLongestText = 1023;
constexpr size_t kLongestLine = 300;

std::string text_of(const json& body, const char* member, size_t most) {
  return fitting(body.value(member, ""), most);
}

ApiResponse result(const ApiRequest& request) {
  const auto body = read_object(request);
  if (!body) return refuse(400, body.error());
  auto made = std::make_shared<NodeReport>();
  made->node = request.parameter("name");
  if (!fleet::is_object_name(made->node)) return refuse(400, Error("the name in the path is not the name of a node"));
  if (!body->contains("exitCode") || !(*body)["exitCode"].is_number_integer())
    return refuse(400, Error("exitCode must be a whole number"));
  if (const std::string told = body->value("node", ""); !told.empty() && told != made->node)
    return refuse(422, Error("the report is about another node than the path"));
  const auto number = (*body)["exitCode"].get<int64_t>();
  if (number < -1 || number > 255) return refuse(422, Error("exitCode must be -1..255"));
  made->exit_code = static_cast<int>(number);
  made->step = text_of(*body, "step", 80);
  made->cause = text_of(*body, "cause", kLongestText);
  made->hint = text_of(*body, "hint", kLongestLine);
  made->timeline = text_of(*body, "timeline", kLongestLine);
  made->text = text_of(*body, "text", kLongestText);
  made->run = text_of(*body, "run", 64);
  if (const auto found = body->find("milestones"); found != body->end()) {
    if (!found->is_object() || found->size() > report::kMostMilestones)
      return refuse(422, Error("milestones must be an object with at most " + std::to_string(report::kMostMilestones) +
                               " members"));
    for (const auto& [name, seconds] : found->items()) {
      if (!seconds.is_number() || !std::isfinite(seconds.get<double>()) || name.size() > report::kLongestMilestone)
        return refuse(422, Error("a milestone is a short name and a number of seconds"));
      made->milestones.emplace_back(name, seconds.get<double>());
    }
  }
  ApiResponse response{.status = 202, .body = "{\"recorded\":true}\n"};
  response.report = std::move(made);
  return response;
}

constexpr char kResult[] = R"({
  "type": "object",
  "required": ["exitCode"],
  "properties": {
    "node": {"type": "string", "description": "the name in the path, if it is given"},
    "exitCode": {"type": "integer", "minimum": -1, "maximum": 255, "description": "0: success; -1: the node does not know it"},
    "name": {"type": "string", "description": "the name of the exit code; not used, because exitCode determines it"},
    "step": {"type": "string", "description": "the failed step"},
    "cause": {"type": "string", "description": "what went wrong"},
    "hint": {"type": "string", "description": "what to do about it; default: the remedy for the exit code"},
    "retryMayHelp": {"type": "boolean", "description": "not used, because exitCode determines it"},
    "ignored": {"type": "array", "items": {"type": "string"}, "description": "the members of the config that the node ignored; not used"},
    "timeline": {"type": "string", "description": "one line"},
    "text": {"type": "string", "description": "all of it, for people"},
    "run": {"type": "string", "description": "tells two runs apart: the ID of the boot"},
    "milestones": {"type": "object", "maxProperties": 32, "additionalProperties": {"type": "number"}, "description": "seconds since provisioning began, by name"}
  }
})";
constexpr char kRecorded[] = R"({"type":"object","required":["recorded"],"properties":{
  "recorded":{"type":"boolean","const":true,"description":"the cluster has the result"}}})";

}  // namespace

std::vector<Route> node_routes() {
  return {
      {.method = "POST",
       .path = "/v1/nodes/{name}/result",
       .summary = "A node reports its result; it becomes an Event and an annotation of the NodeClaim and the Node",
       .caller = Caller::kNode,
       .request = {kResult},
       .replies = {{202, "The result is recorded in the cluster.", {kRecorded}},
                   {404, "The cluster has neither a NodeClaim nor a Node of this name.", {kError}},
                   {422, "The report contradicts itself or the path.", {kError}},
                   {429, "The node has reported too often.", {kError}}},
       .handler = result},
  };
}

}  // namespace sunup::service

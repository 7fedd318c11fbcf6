#include "service/openapi.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "service/routes.h"
#include "service/schemas.h"

namespace sunup::service {
namespace {

using nlohmann::ordered_json;

ordered_json content(const Body& body) {
  return {{std::string(body.content_type), {{"schema", ordered_json::parse(body.schema)}}}};
}

ordered_json response(std::string_view summary, const Body& body) {
  ordered_json out = {{"description", summary}};
  if (!body.schema.empty()) out["content"] = content(body);
  return out;
}

// The replies that every route, or the server before it, may return.
constexpr std::pair<int, std::string_view> kRefusals[] = {
    {400, "The request cannot be read, or its query has an unknown parameter or value."},
    {405, "The path has no such method; Allow lists those it has."},
    {408, "The request did not arrive in time."},
    {413, "The body is too large."},
    {415, "The content coding is not known."},
    {417, "The expectation is not 100-continue."},
    {431, "The header, or what precedes or follows a chunk, is too large."},
    {501, "The transfer coding is not known."},
    {503, "The server is busy or ending, or the work took too long."},
    {505, "The version is not HTTP/1.0 or HTTP/1.1."},
};
constexpr std::pair<int, std::string_view> kRefusalsOfCallers[] = {
    {401, "The request has no credential, or one that is not accepted."},
    {403, "The caller may not use this route."},
};

ordered_json operation(const Route& route) {
  ordered_json out = {{"summary", route.summary}};
  ordered_json parameters = ordered_json::array();
  for (std::string_view rest = route.path; !rest.empty();) {
    const std::string_view segment = take_until(rest, '/');
    if (!segment.starts_with('{')) continue;
    parameters.push_back({{"name", segment.substr(1, segment.size() - 2)},
                          {"in", "path"},
                          {"description", "the part of the path at this place"},
                          {"required", true},
                          {"schema", {{"type", "string"}, {"minLength", 1}}}});
  }
  for (const QueryParameter& parameter : route.query)
    parameters.push_back({{"name", parameter.name},
                          {"in", "query"},
                          {"description", parameter.summary},
                          {"required", parameter.required},
                          {"schema", ordered_json::parse(parameter.schema)}});
  if (!parameters.empty()) out["parameters"] = std::move(parameters);
  if (!route.request.schema.empty()) out["requestBody"] = {{"required", true}, {"content", content(route.request)}};

  std::map<int, ordered_json> replies;
  for (const Reply& reply : route.replies) replies[reply.status] = response(reply.summary, reply.body);
  // A route may answer in text what the server before it refuses in JSON.
  const auto add = [&replies](int status, std::string_view summary) {
    const Body error{kError};
    const auto [reply, added] = replies.try_emplace(status, response(summary, error));
    if (!added) reply->second["content"].update(content(error));
  };
  for (const auto& [status, summary] : kRefusals) add(status, summary);
  if (route.caller == Caller::kAnyone) {
    out["security"] = ordered_json::array();
  } else {
    for (const auto& [status, summary] : kRefusalsOfCallers) add(status, summary);
  }
  for (auto& [status, reply] : replies) out["responses"][std::to_string(status)] = std::move(reply);
  return out;
}

std::string make() {
  ordered_json out = {{"openapi", "3.1.0"},
                      {"info",
                       {{"title", "Sunup"},
                        {"version", "v1"},
                        {"description", "Configurations, custom data, launch templates and results of AKS nodes."}}},
                      {"security", ordered_json::parse(R"([{"bearer": []}, {"certificate": []}])")}};
  for (const Route& route : routes()) {
    std::string method(route.method);
    std::ranges::transform(method, method.begin(), [](unsigned char c) { return std::tolower(c); });
    out["paths"][std::string(route.path)][method] = operation(route);
  }
  out["components"] = {{"schemas", shared_schemas()}, {"securitySchemes", ordered_json::parse(R"({
                          "bearer": {"type": "http", "scheme": "bearer", "description": "a token that the cluster knows"},
                          "certificate": {"type": "mutualTLS", "description": "a client certificate"}})")}};
  return out.dump() + "\n";
}

}  // namespace

const std::string& openapi() {
  static const std::string text = make();
  return text;
}

}  // namespace sunup::service

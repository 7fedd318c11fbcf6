#include "service/router.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/text.h"
#include "base/url.h"
#include "service/answers.h"

namespace sunup::service {
namespace {

using Parameters = std::vector<std::pair<std::string_view, std::string>>;

std::optional<Parameters> parameters_of(std::string_view pattern, std::string_view path) {
  Parameters parameters;
  while (true) {
    const size_t pattern_end = std::min(pattern.find('/'), pattern.size());
    const size_t path_end = std::min(path.find('/'), path.size());
    const std::string_view expected = pattern.substr(0, pattern_end);
    const std::string_view segment = path.substr(0, path_end);
    if (expected.starts_with('{') && expected.ends_with('}')) {
      if (segment.empty()) return std::nullopt;
      parameters.emplace_back(expected.substr(1, expected.size() - 2), percent_decoded(segment));
    } else if (expected != segment) {
      return std::nullopt;
    }
    const bool last = pattern_end == pattern.size();
    if (last != (path_end == path.size())) return std::nullopt;
    if (last) return parameters;
    pattern.remove_prefix(pattern_end + 1);
    path.remove_prefix(path_end + 1);
  }
}

// In the form that the route declares for this status: clients of other services expect text.
ApiResponse refuse_as_declared(const Route& route, int status, const Error& error) {
  for (const Reply& reply : route.replies)
    if (reply.status == status && reply.body.content_type == kText) return refuse_text(status, error);
  return refuse(status, error);
}

// What the value of a parameter must be, for people; empty: the value is allowed.
std::string why_refused(const QueryParameter& parameter, const std::string& value) {
  const auto schema = nlohmann::json::parse(parameter.schema);
  std::vector<std::string> allowed;
  if (schema.value("type", "") == "boolean") allowed = {"false", "true"};
  if (schema.contains("enum")) allowed = schema["enum"].get<std::vector<std::string>>();
  if (allowed.empty() || std::ranges::find(allowed, value) != allowed.end()) return "";
  return fmt::format("{} in the query must be one of {}", parameter.name, fmt::join(allowed, ", "));
}

}  // namespace

std::optional<ApiResponse> refuse_query(const Route& route, std::string_view query) {
  std::vector<std::string_view> given;
  while (!query.empty()) {
    std::string_view value = take_until(query, '&');
    if (value.empty()) continue;
    const std::string_view name = take_until(value, '=');
    const auto known = std::ranges::find(route.query, name, &QueryParameter::name);
    std::string why;
    if (known == route.query.end())
      why = fmt::format("this route has no '{}' in the query", name);
    else if (std::ranges::find(given, name) != given.end())
      why = fmt::format("{} is in the query more than once", name);
    else
      why = why_refused(*known, query_decoded(value));
    if (!why.empty()) return refuse_as_declared(route, 400, Error(std::move(why)));
    given.push_back(name);
  }
  for (const QueryParameter& parameter : route.query)
    if (parameter.required && std::ranges::find(given, parameter.name) == given.end())
      return refuse_as_declared(route, 400, Error(fmt::format("{} is missing in the query", parameter.name)));
  return std::nullopt;
}

ApiRequest request_of(std::string_view method, std::string_view target, std::string_view body, Deadline deadline) {
  const size_t question = std::min(target.find('?'), target.size());
  return {.method = method,
          .path = target.substr(0, question),
          .query = target.substr(std::min(question + 1, target.size())),
          .body = body,
          .deadline = deadline};
}

Match match(std::string_view method, std::string_view path) {
  Match found;
  for (const Route& route : routes()) {
    auto parameters = parameters_of(route.path, path);
    if (!parameters) continue;
    found.allowed += fmt::format("{}{}", route.method, route.method == "GET" ? ", HEAD, " : ", ");
    if (found.route != nullptr || !(route.method == method || (route.method == "GET" && method == "HEAD"))) continue;
    found.route = &route;
    found.parameters = *std::move(parameters);
  }
  if (!found.allowed.empty()) found.allowed += "OPTIONS";
  return found;
}

ApiResponse call(const Match& match, ApiRequest request) {
  if (match.route->handler == nullptr) return refuse(404, Error("only a server answers this"));
  if (auto refused = refuse_query(*match.route, request.query)) return *std::move(refused);
  request.parameters = match.parameters;
  ApiResponse response;
  try {
    response = match.route->handler(request);
  } catch (const std::exception& error) {
    // A member has a wrong type that no rule has checked.
    response =
        refuse_as_declared(*match.route, 400, Error(fmt::format("the request cannot be read: {}", error.what())));
  }
  // An error after the deadline may be a consequence of the abort and not of the request, so it becomes 503.
  if (response.status >= 400 && request.deadline.passed())
    return refuse_as_declared(*match.route, 503, Deadline::error());
  return response;
}

ApiResponse handle(const ApiRequest& request) {
  // OPTIONS * is about the server, not about a path.
  Match found = match(request.method, request.path);
  if (request.method == "OPTIONS" && request.path == "*") found.allowed = "GET, HEAD, POST, OPTIONS";
  if (found.allowed.empty()) return refuse(404, Error(fmt::format("no such route: {}", request.path)));
  if (found.route != nullptr) return call(found, request);
  ApiResponse response = request.method == "OPTIONS" ? ApiResponse{.status = 204, .content_type = ""}
                                                     : refuse(405, Error("use " + found.allowed));
  response.headers.emplace_back("Allow", found.allowed);
  return response;
}

}  // namespace sunup::service

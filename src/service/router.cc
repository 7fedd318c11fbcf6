#include "service/router.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <optional>

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

}  // namespace

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
  request.parameters = match.parameters;
  ApiResponse response;
  try {
    response = match.route->handler(request);
  } catch (const std::exception& error) {
    // A member has a wrong type that no rule has checked.
    response = refuse(400, Error(fmt::format("the request cannot be read: {}", error.what())));
  }
  // An error after the deadline may be a consequence of the abort and not of the request, so it becomes 503.
  if (response.status >= 400 && request.deadline.passed()) return refuse(503, Deadline::error());
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

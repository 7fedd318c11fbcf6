// The HTTP API without the HTTP protocol: finds the route of a request and calls its function.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "service/routes.h"

namespace sunup::service {

struct Match {
  const Route* route = nullptr;  // null: no route has this path and method
  std::string allowed = {};      // the methods of this path, for Allow; empty: no route has this path
  std::vector<std::pair<std::string_view, std::string>> parameters = {};
};
// HEAD matches the routes of GET.
Match match(std::string_view method, std::string_view path);

// A query has only parameters that the description of the route has, each once, with a value that their schema allows.
// Returns the refusal of any other query.
std::optional<ApiResponse> refuse_query(const Route& route, std::string_view query);

// Calls the function of a route, unless its query is refused. Never throws.
ApiResponse call(const Match& match, ApiRequest request);

// match() and call(). The response to OPTIONS contains the allowed methods; a wrong method gets 405, an unknown path
// 404.
ApiResponse handle(const ApiRequest& request);

// For requests whose target is "path?query".
ApiRequest request_of(std::string_view method, std::string_view target, std::string_view body, Deadline deadline = {});

}  // namespace sunup::service

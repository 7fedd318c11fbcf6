// The HTTP API without the HTTP protocol: maps a request to a response. docs/http-api.md lists the routes.
#pragma once

#include <string>
#include <string_view>

namespace sunup::service {

struct ApiRequest {
  std::string_view method;
  std::string_view target;  // path and query
  std::string_view body;
};

struct ApiResponse {
  int status = 200;
  std::string content_type = "application/json";
  std::string body;
};

// Never throws. The same request always gets the same response.
ApiResponse handle(const ApiRequest& request);

}  // namespace sunup::service

// Routes about the service itself.
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

}  // namespace

std::vector<Route> status_routes() {
  return {
      {.method = "GET",
       .path = "/healthz",
       .summary = "Whether the server is alive",
       .caller = Caller::kAnyone,
       .request = {},
       .replies = {{200, "The server is alive.", {R"({"const":"ok\n"})", kText}}},
       .handler = healthz},
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

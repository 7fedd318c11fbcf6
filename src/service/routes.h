// The table of routes: for each request of the HTTP API its form, its callers, its responses, and the function that
// handles it. The router and /openapi.json are based on it.
//
// To add a route, add a row to the table of the file of its concern (render_routes.cc, fleet_routes.cc, ...) and its
// function. A new file adds its table to routes() in routes.cc.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/deadline.h"

namespace sunup::service {

struct ApiRequest {
  std::string_view method;
  std::string_view path;   // as sent, without the query
  std::string_view query;  // as sent, without the '?'
  std::string_view body;
  Deadline deadline = {};
  std::vector<std::pair<std::string_view, std::string>> parameters = {};  // of the path: name and decoded value

  // The value of {name} in the path; empty if the route has no such segment.
  std::string_view parameter(std::string_view name) const;
  // The decoded value of name=value in the query; empty if there is none.
  std::string query_value(std::string_view name) const;
};

// A node's report about its provisioning. The server writes it to the cluster.
struct NodeReport {
  std::string node = {};
  int exit_code = 0;
  std::string step = {};
  std::string cause = {};
  std::string hint = {};
  std::string timeline = {};                                    // one line
  std::string text = {};                                        // the complete text, for people
  std::string run = {};                                         // distinguishes two runs of a node; may be empty
  std::vector<std::pair<std::string, double>> milestones = {};  // seconds, by name
};

struct ApiResponse {
  int status = 200;
  std::string content_type = "application/json";
  std::string body = {};
  std::vector<std::pair<std::string_view, std::string>> headers = {};
  std::shared_ptr<const NodeReport> report = {};  // to be written before the response is sent; null: none
};

enum class Caller : uint8_t {
  kAnyone,  // anyone, without a credential
  kClient,  // users of the API
  kNode,    // a node, by its bootstrap token or its own certificate
};

inline constexpr std::string_view kJson = "application/json";
inline constexpr std::string_view kText = "text/plain";
inline constexpr std::string_view kYaml = "application/yaml";

// A body. Its schema is the text of a JSON Schema, which may refer to the shared ones in schemas.cc; empty: no body.
struct Body {
  std::string schema;
  std::string_view content_type = kJson;
};

struct QueryParameter {
  std::string_view name;
  std::string_view summary;
  bool required = false;
  std::string schema = R"({"type":"string"})";
};

struct Reply {
  int status;
  std::string_view summary;
  Body body;
};

struct Route {
  std::string_view method;
  std::string_view path;  // "/v1/nodes/{name}/result": {name} stands for one segment
  std::string_view summary;
  Caller caller;
  Body request;
  std::vector<Reply> replies;  // replies common to all routes (400, 405, ...) are added by openapi.cc
  // A pure function: the same request always gets the same response. If it throws, the request is invalid. Null: the
  // response depends on the state of the server, which creates it.
  ApiResponse (*handler)(const ApiRequest&);
  std::vector<QueryParameter> query = {};
};

// One table for each file.
std::vector<Route> client_routes();
std::vector<Route> config_routes();
std::vector<Route> document_routes();
std::vector<Route> fleet_routes();
std::vector<Route> node_routes();
std::vector<Route> page_routes();
std::vector<Route> plan_routes();
std::vector<Route> render_routes();
std::vector<Route> status_routes();

// All routes.
std::span<const Route> routes();

}  // namespace sunup::service

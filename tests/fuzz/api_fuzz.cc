// Any request gets a response that is in the description of the API, in JSON or text, and the same one each time. The
// first line of the input is "METHOD TARGET", the rest is the body.
#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "require.h"
#include "service/openapi.h"
#include "service/router.h"

namespace {

using namespace sunup::service;

bool described(const Match& match, int status) {
  static const nlohmann::json paths = nlohmann::json::parse(openapi())["paths"];
  std::string method(match.route->method);
  for (char& c : method) c = static_cast<char>(std::tolower(c));
  return paths[std::string(match.route->path)][method]["responses"].contains(std::to_string(status));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  const std::string_view line = input.substr(0, input.find('\n'));
  const std::string_view body = input.substr(std::min(line.size() + 1, input.size()));
  const std::string_view method = line.substr(0, line.find(' '));
  const std::string_view target = line.substr(std::min(method.size() + 1, line.size()));

  const ApiRequest request = request_of(method, target, body);
  const ApiResponse response = handle(request);
  require(response.status < 500, "a request does not break the service");
  if (response.content_type == kJson)
    require(nlohmann::json::accept(response.body), "an answer that says it is JSON is JSON");
  for (const auto& [name, value] : response.headers)
    require(value.find_first_of("\r\n") == std::string::npos, "a header is one line");
  const Match found = match(request.method, request.path);
  if (found.route != nullptr && found.route->handler != nullptr)
    require(described(found, response.status), "the status is in the description");
  if (body.size() < 4096) require(handle(request).body == response.body, "the same request gets the same answer");
  return 0;
}

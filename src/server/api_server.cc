#include "server/api_server.h"

#include <algorithm>

#include "fleet/sources/bounds.h"

namespace sunup::server {

Result<ApiServerAnswer> ApiServer::send(std::string_view method, std::string_view path, std::string_view content_type,
                                        const nlohmann::json& body, Deadline deadline) const {
  auto door = fleet::open_door(access_);
  if (!door) return std::move(door).error();
  if (!door->options.verify) return Error("the certificate of the API server would not be verified");
  HttpUrl url = door->url;
  if (url.target.ends_with('/')) url.target.pop_back();
  url.target.append(path);
  door->options.timeout = door->time;
  door->options.deadline = std::min(deadline.at(), end_.load());
  const std::string text = body.is_null() ? "" : body.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  auto answer = connections_.send(url, door->options, {.method = method, .content_type = content_type, .body = text});
  if (!answer) return std::move(answer).error();
  auto object = fleet::parse_json(answer->body);
  if (!object || !object->is_object()) return ApiServerAnswer{answer->status, nlohmann::json::object()};
  return ApiServerAnswer{answer->status, *std::move(object)};
}

}  // namespace sunup::server

#include "server/api_server.h"

#include "fleet/sources/http_client.h"

namespace sunup::server {

Result<ApiServerAnswer> ApiServer::send(std::string_view method, std::string_view path, std::string_view content_type,
                                        const nlohmann::json& body) const {
  auto door = fleet::open_door(access_);
  if (!door) return std::move(door).error();
  HttpUrl url = door->url;
  if (url.target.ends_with('/')) url.target.pop_back();
  url.target.append(path);
  door->options.timeout = door->time;
  const std::string text = body.is_null() ? "" : body.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  auto answer =
      fleet::HttpClient(door->options).send(url, {.method = method, .content_type = content_type, .body = text});
  if (!answer) return std::move(answer).error();
  ApiServerAnswer out{.status = answer->status, .body = nlohmann::json::parse(answer->body, nullptr, false)};
  if (!out.body.is_object()) out.body = nlohmann::json::object();
  return out;
}

}  // namespace sunup::server

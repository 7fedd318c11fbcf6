// Formats a response of the API as bytes of HTTP/1.1.
#pragma once

#include <ctime>
#include <string>
#include <string_view>

#include "service/routes.h"

namespace sunup::server {

struct ResponseFraming {
  std::string_view connection = {};  // "close", "keep-alive"; empty: the default of HTTP/1.1
  bool without_body = false;         // for HEAD: the header fields of the body, but not the body
  std::string_view request_id = {};
  std::time_t now = 0;
};
std::string response_text(const service::ApiResponse& response, const ResponseFraming& framing);

// "Sun, 06 Nov 1994 08:49:37 GMT"
std::string http_date(std::time_t time);

}  // namespace sunup::server

#include "server/response_text.h"

#include <fmt/format.h>

#include <boost/beast/http/status.hpp>
#include <iterator>

namespace sunup::server {

std::string http_date(std::time_t time) {
  constexpr const char* kDays[] = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
  constexpr const char* kMonths[] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                     "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  std::tm utc{};
  gmtime_r(&time, &utc);
  return fmt::format("{}, {:02} {} {} {:02}:{:02}:{:02} GMT", kDays[utc.tm_wday], utc.tm_mday, kMonths[utc.tm_mon],
                     utc.tm_year + 1900, utc.tm_hour, utc.tm_min, utc.tm_sec);
}

std::string response_text(const service::ApiResponse& response, const ResponseFraming& framing) {
  namespace http = boost::beast::http;
  const auto reason = http::obsolete_reason(static_cast<http::status>(response.status));
  std::string text;
  text.reserve(256 + (framing.without_body ? 0 : response.body.size()));
  const auto out = std::back_inserter(text);
  fmt::format_to(out, "HTTP/1.1 {} {}\r\nDate: {}\r\n", response.status, std::string_view(reason.data(), reason.size()),
                 http_date(framing.now));
  if (!response.content_type.empty()) fmt::format_to(out, "Content-Type: {}\r\n", response.content_type);
  // A response with status 204 has no body and no header fields of one.
  if (response.status != 204) fmt::format_to(out, "Content-Length: {}\r\n", response.body.size());
  for (const auto& [name, value] : response.headers) fmt::format_to(out, "{}: {}\r\n", name, value);
  if (!framing.request_id.empty()) fmt::format_to(out, "X-Request-Id: {}\r\n", framing.request_id);
  if (!framing.connection.empty()) fmt::format_to(out, "Connection: {}\r\n", framing.connection);
  text += "\r\n";
  if (!framing.without_body && response.status != 204) text += response.body;
  return text;
}

}  // namespace sunup::server

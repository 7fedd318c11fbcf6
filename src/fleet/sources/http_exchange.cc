#include "fleet/sources/http_exchange.h"

#include <fmt/format.h>

#include <array>
#include <boost/asio/buffer.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>

namespace sunup::fleet {
namespace {

namespace http = boost::beast::http;

constexpr uint64_t kMaxBody = 16u << 20;

std::string request_text(const HttpUrl& url, const HttpOptions& options, const HttpSending& sending, bool keep) {
  std::string request =
      fmt::format("{} {} HTTP/1.1\r\nHost: {}\r\nUser-Agent: sunup\r\nAccept: application/json\r\nConnection: {}\r\n",
                  sending.method, url.target, url.host_header(), keep ? "keep-alive" : "close");
  if (!sending.content_type.empty())
    request += fmt::format("Content-Type: {}\r\nContent-Length: {}\r\n", sending.content_type, sending.body.size());
  if (!options.bearer_token.empty() && url.tls)
    request.append("Authorization: Bearer ").append(options.bearer_token.reveal()).append("\r\n");
  request += "\r\n";
  if (!sending.content_type.empty()) request += sending.body;
  return request;
}

}  // namespace

Result<HttpAnswer> exchange(Connection& connection, const HttpUrl& url, const HttpOptions& options,
                            const HttpSending& sending, Clock::time_point deadline, ConnectionUse& use) {
  const bool asked_to_keep = use.keep;
  use.keep = false;
  if (auto sent = connection.write(request_text(url, options, sending, asked_to_keep), deadline); !sent)
    return std::move(sent).error().in(fmt::format("asking {}", url.host));

  http::response_parser<http::string_body> parser;
  parser.body_limit(kMaxBody);
  parser.eager(true);
  std::string pending;
  std::array<char, 16384> buffer;
  while (!parser.is_done()) {
    auto got = connection.read(buffer.data(), buffer.size(), deadline);
    if (!got) return std::move(got).error().in(fmt::format("reading the response of {}", url.host));
    boost::system::error_code failure;
    if (*got == 0) {
      parser.put_eof(failure);
      if (failure) return Error(fmt::format("{} closed the connection before its response was complete", url.host));
      break;
    }
    use.answered = true;
    pending.append(buffer.data(), *got);
    while (!pending.empty() && !parser.is_done()) {
      const size_t used = parser.put(boost::asio::buffer(pending), failure);
      pending.erase(0, used);
      if (failure == http::error::need_more) break;
      if (failure) return Error(fmt::format("the response of {} is not HTTP: {}", url.host, failure.message()));
    }
  }
  if (!parser.is_header_done()) return Error(fmt::format("no response from {}", url.host));
  // Bytes after the response belong to no request.
  use.keep = asked_to_keep && parser.is_done() && parser.get().keep_alive() && pending.empty();
  return HttpAnswer{static_cast<int>(parser.get().result_int()), std::move(parser.get().body()), {}};
}

}  // namespace sunup::fleet

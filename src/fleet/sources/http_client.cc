#include "fleet/sources/http_client.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <boost/asio/buffer.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>

#include "fleet/sources/connection.h"

namespace sunup::fleet {
namespace {

namespace http = boost::beast::http;

constexpr uint64_t kMaxBody = 16u << 20;

}  // namespace

Result<HttpAnswer> HttpClient::send(const HttpUrl& url, const HttpSending& sending) const {
  const Clock::time_point own = Clock::now() + options_.timeout;
  auto answer = send_by(url, sending, std::min(own, options_.deadline));
  if (answer || answer.error().os_errno != kOutOfTime || own >= options_.deadline) return answer;
  Error silent = std::move(answer).error();
  silent.os_errno = 0;
  return silent;
}

Result<HttpAnswer> HttpClient::send_by(const HttpUrl& url, const HttpSending& sending,
                                       Clock::time_point deadline) const {
  auto connection = Connection::open(url, options_, deadline);
  if (!connection) return std::move(connection).error();

  std::string request = fmt::format(
      "{} {} HTTP/1.1\r\nHost: {}\r\nUser-Agent: sunup\r\nAccept: application/json\r\nConnection: close\r\n",
      sending.method, url.target, url.host_header());
  if (!sending.content_type.empty())
    request += fmt::format("Content-Type: {}\r\nContent-Length: {}\r\n", sending.content_type, sending.body.size());
  if (!options_.bearer_token.empty() && url.tls)
    request.append("Authorization: Bearer ").append(options_.bearer_token.reveal()).append("\r\n");
  request += "\r\n";
  if (!sending.content_type.empty()) request += sending.body;
  if (auto sent = connection->write(request, deadline); !sent)
    return std::move(sent).error().in(fmt::format("asking {}", url.host));

  http::response_parser<http::string_body> parser;
  parser.body_limit(kMaxBody);
  parser.eager(true);
  std::string pending;
  std::array<char, 16384> buffer;
  while (!parser.is_done()) {
    auto got = connection->read(buffer.data(), buffer.size(), deadline);
    if (!got) return std::move(got).error().in(fmt::format("reading the response of {}", url.host));
    boost::system::error_code failure;
    if (*got == 0) {
      parser.put_eof(failure);
      if (failure) return Error(fmt::format("{} closed the connection before its response was complete", url.host));
      break;
    }
    pending.append(buffer.data(), *got);
    while (!pending.empty() && !parser.is_done()) {
      const size_t used = parser.put(boost::asio::buffer(pending), failure);
      pending.erase(0, used);
      if (failure == http::error::need_more) break;
      if (failure) return Error(fmt::format("the response of {} is not HTTP: {}", url.host, failure.message()));
    }
  }
  if (!parser.is_header_done()) return Error(fmt::format("no response from {}", url.host));
  return HttpAnswer{static_cast<int>(parser.get().result_int()), std::move(parser.get().body()),
                    connection->peer_chain_pem()};
}

}  // namespace sunup::fleet

#include "fleet/sources/http_exchange.h"

#include <fmt/format.h>

#include <array>

#include "base/http_reply_reader.h"

namespace sunup::fleet {
namespace {

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

  HttpAnswer answer;
  HttpReplyReader reader(kMaxBody, [&answer](const HttpReplyHead&, std::string_view piece) -> Result<void> {
    answer.body += piece;
    return {};
  });
  std::string pending;
  std::array<char, 16384> buffer;
  while (!reader.is_done()) {
    auto got = connection.read(buffer.data(), buffer.size(), deadline);
    if (!got) return std::move(got).error().in(fmt::format("reading the response of {}", url.host));
    if (*got == 0) {
      if (!reader.closed())
        return Error(fmt::format("{} closed the connection before its response was complete", url.host));
      break;
    }
    use.answered = true;
    pending.append(buffer.data(), *got);
    if (auto read = reader.feed(pending); !read)
      return Error(fmt::format("the response of {} is not HTTP: {}", url.host, read.error().what));
  }
  if (!reader.has_head()) return Error(fmt::format("no response from {}", url.host));
  // Bytes after the response belong to no request.
  use.keep = asked_to_keep && reader.is_done() && reader.head().keep_alive && pending.empty();
  answer.status = reader.head().status;
  return answer;
}

}  // namespace sunup::fleet

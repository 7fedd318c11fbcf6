#include "host/real/network.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netdb.h>

#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>
#include <charconv>
#include <memory>

#include "host/real/socket.h"
#include "host/real/stream.h"
#include "host/running.h"

namespace sunup::host::real {
namespace {

namespace http = boost::beast::http;

struct Url {
  bool tls = false;
  std::string host;
  uint16_t port = 80;
  std::string target = "/";
  std::string authority;  // host[:port] as written, for the Host header
};

Result<Url> parse_url(const std::string& text) {
  Url url;
  std::string_view rest = text;
  if (rest.starts_with("http://")) {
    rest.remove_prefix(7);
  } else if (rest.starts_with("https://")) {
    rest.remove_prefix(8);
    url.tls = true;
    url.port = 443;
  } else {
    return Error(fmt::format("{} is not an http or https URL", text));
  }
  const size_t slash = rest.find_first_of("/?");
  std::string_view authority = rest.substr(0, slash);
  if (slash != std::string_view::npos) url.target = rest.substr(slash);
  if (url.target.starts_with('?')) url.target.insert(0, "/");
  url.authority = authority;
  const size_t colon = authority.rfind(':');
  if (colon != std::string_view::npos && authority.find(']', colon) == std::string_view::npos) {
    const std::string_view digits = authority.substr(colon + 1);
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), url.port);
    if (error != std::errc() || end != digits.data() + digits.size())
      return Error(fmt::format("{}: '{}' is not a port", text, digits));
    authority = authority.substr(0, colon);
  }
  if (authority.starts_with('[') && authority.ends_with(']')) authority = authority.substr(1, authority.size() - 2);
  if (authority.empty()) return Error(fmt::format("{} names no host", text));
  url.host = authority;
  for (const char c : url.target)
    if (static_cast<unsigned char>(c) <= ' ') return Error("a URL must not hold blanks or line breaks");
  return url;
}

struct Addresses {
  int error = 0;
  std::vector<std::string> list;
};

Addresses resolve(const std::string& name) {
  Addresses answer;
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  answer.error = ::getaddrinfo(name.c_str(), nullptr, &hints, &found);
  if (answer.error != 0) return answer;
  for (const addrinfo* one = found; one != nullptr; one = one->ai_next) {
    char text[NI_MAXHOST];
    if (::getnameinfo(one->ai_addr, one->ai_addrlen, text, sizeof text, nullptr, 0, NI_NUMERICHOST) == 0)
      answer.list.emplace_back(text);
  }
  ::freeaddrinfo(found);
  return answer;
}

}  // namespace

Task<Result<std::vector<std::string>>> Network::lookup(std::string name) {
  if (SocketAddress::of(name, 0)) {  // a literal address needs nobody's help
    std::vector<std::string> itself;
    itself.push_back(std::move(name));
    co_return itself;
  }
  // The resolver can only block, for as long as it likes: it gets a thread of its own, not the worker's.
  auto answer = std::make_shared<Addresses>();
  std::function<void()> job = [answer, name] { *answer = resolve(name); };
  Result<void> ran = co_await on_own_thread(loop_, std::move(job));
  if (!ran) co_return std::move(ran).error();
  if (answer->error != 0) {
    Error failed(fmt::format("no address for {}: {}", name, ::gai_strerror(answer->error)));
    failed.os_errno = answer->error == EAI_AGAIN ? EAGAIN : ENOENT;
    co_return failed;
  }
  co_return std::move(answer->list);
}

Task<Result<Fd>> Network::connect_to(std::string host, uint16_t port) {
  Result<std::vector<std::string>> addresses = co_await lookup(host);
  if (!addresses) co_return std::move(addresses).error();
  Error last(host + " has no address");
  for (const std::string& address : *addresses) {
    Result<SocketAddress> to = SocketAddress::of(address, port);
    if (!to) continue;
    Result<Fd> connected = co_await connect(loop_, std::move(*to));
    if (connected) co_return connected;
    last = std::move(connected).error();
  }
  co_return last;
}

Task<Result<void>> Network::connects(std::string host, uint16_t port) {
  Result<Fd> connected = co_await connect_to(std::move(host), port);
  if (!connected) co_return std::move(connected).error();
  co_return Result<void>();
}

Task<Result<TlsPeer>> Network::handshakes(std::string host, uint16_t port, std::string ca_file) {
  Result<Fd> connected = co_await connect_to(host, port);
  if (!connected) co_return std::move(connected).error();
  ByteStream stream(loop_, std::move(*connected));
  ByteStream::TlsOptions options{.host = host, .verify = !ca_file.empty(), .ca_file = ca_file};
  co_return co_await stream.handshake(std::move(options));
}

Task<Result<HttpReply>> Network::get(HttpRequest request) {
  const Duration limit = request.limit;
  std::string what = request.method + " " + request.url;
  co_return co_await within(loop_, limit, get_unlimited(std::move(request)), std::move(what));
}

Task<Result<HttpReply>> Network::get_unlimited(HttpRequest request) {
  const std::string what = request.method + " " + request.url;
  Result<Url> url = parse_url(request.url);
  if (!url) co_return std::move(url).error();
  Result<Fd> connected = co_await connect_to(url->host, url->port);
  if (!connected) co_return std::move(connected).error().in(what);
  ByteStream stream(loop_, std::move(*connected));
  if (url->tls) {
    ByteStream::TlsOptions options{.host = url->host, .verify = true, .ca_file = request.ca_file};
    Result<TlsPeer> peer = co_await stream.handshake(std::move(options));
    if (!peer) co_return std::move(peer).error().in(what);
  }

  std::string head = fmt::format("{} {} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\nAccept: */*\r\n", request.method,
                                 url->target, url->authority);
  for (const auto& [name, value] : request.headers) {
    if (name.find_first_of("\r\n:") != std::string::npos || value.find_first_of("\r\n") != std::string::npos)
      co_return Error(what + ": a header must not hold a line break");
    head += fmt::format("{}: {}\r\n", name, value);
  }
  if (request.method != "GET") head += fmt::format("Content-Length: {}\r\n", request.body.size());
  head += "\r\n";
  head += request.body;
  Result<void> sent = co_await stream.write_all(std::move(head));
  if (!sent) co_return std::move(sent).error().in(what);

  http::response_parser<http::string_body> parser;
  parser.eager(true);
  parser.body_limit(request.max_body);
  std::string unread;
  boost::beast::error_code error;
  while (!parser.is_done()) {
    const size_t before = unread.size();
    unread.resize(before + 16 * 1024);
    Result<size_t> got = co_await stream.read_some(unread.data() + before, unread.size() - before);
    if (!got) co_return std::move(got).error().in(what);
    unread.resize(before + *got);
    if (*got == 0) {
      parser.put_eof(error);
      break;
    }
    const size_t used = parser.put(boost::asio::const_buffer(unread.data(), unread.size()), error);
    unread.erase(0, used);
    if (error == http::error::need_more) error = {};
    if (error) break;
  }
  if (error || !parser.is_done()) {
    Error failed(fmt::format("{}: the answer is not whole or not HTTP{}", what, error ? ": " + error.message() : ""));
    failed.os_errno = EPROTO;
    co_return failed;
  }
  HttpReply reply;
  auto message = parser.release();
  reply.status = static_cast<int>(message.result_int());
  for (const auto& field : message) reply.headers.emplace_back(field.name_string(), field.value());
  reply.body = std::move(message.body());
  co_return reply;
}

}  // namespace sunup::host::real

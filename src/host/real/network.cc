#include "host/real/network.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netdb.h>
#include <sys/epoll.h>

#include <algorithm>
#include <cerrno>
#include <limits>
#include <memory>

#include "base/base64.h"
#include "base/http_reply_reader.h"
#include "base/url.h"
#include "host/real/socket.h"
#include "host/real/stream.h"
#include "host/running.h"

namespace sunup::host::real {
namespace {

Result<HttpUrl> parse_url(const std::string& text) {
  Result<HttpUrl> url = parse_http_url(text);
  if (url && std::ranges::any_of(url->target, [](unsigned char c) { return c <= ' '; }))
    return Error("a URL must not contain blanks or line breaks");
  return url;
}

std::string basic(const std::string& credentials) {
  return "Basic " + base64_encode(credentials);
}

void describe(const HttpReplyHead& head, HttpReply& reply) {
  reply.status = head.status;
  reply.headers = head.fields;
}

// About as long as the kernel repeats a request for a connection that nobody answers.
constexpr Duration kConnectPatience = std::chrono::minutes(2);

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
  if (SocketAddress::of(name, 0)) {  // a literal address needs no resolver
    std::vector<std::string> itself;
    itself.push_back(std::move(name));
    co_return itself;
  }
  // The resolver blocks for an unknown time: it runs in a thread of its own instead of the worker thread.
  auto answer = std::make_shared<Addresses>();
  std::function<void()> job = [answer, name] { *answer = resolve(name); };
  if (auto ran = co_await on_own_thread(loop_, std::move(job)); !ran) co_return std::move(ran).error();
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
  const TimePoint end = loop_.now() + kConnectPatience;
  Error last(host + " has no address");
  bool silent = true;
  while (silent && loop_.now() < end) {
    silent = false;
    for (const std::string& address : *addresses) {
      Result<SocketAddress> to = SocketAddress::of(address, port);
      if (!to) continue;
      const std::string what = "connecting to " + to->text;
      Result<Fd> connected = co_await within(loop_, answer_limit_, connect(loop_, std::move(*to)), what);
      if (connected) co_return connected;
      last = std::move(connected).error();
      silent = silent || last.os_errno == ETIMEDOUT;
    }
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

Task<Result<HttpReply>> Network::request(HttpRequest request) {
  const Duration limit = request.limit;
  std::string what = request.method + " " + shown_url(request.url);
  co_return co_await within(loop_, limit, get_unlimited(std::move(request)), std::move(what));
}

// A tunnel through the proxy to the host of the TLS connection.
Task<Result<void>> Network::open_tunnel(ByteStream& stream, std::string host, uint16_t port, std::string credentials) {
  const std::string to =
      host.find(':') == std::string::npos ? fmt::format("{}:{}", host, port) : fmt::format("[{}]:{}", host, port);
  std::string head = fmt::format("CONNECT {0} HTTP/1.1\r\nHost: {0}\r\n", to);
  if (!credentials.empty()) head += fmt::format("Proxy-Authorization: {}\r\n", basic(credentials));
  head += "\r\n";
  if (auto sent = co_await stream.write_all(std::move(head)); !sent) co_return sent;
  // Only the header is read: the bytes after it belong to the tunnel.
  HttpReplyReader reader(std::numeric_limits<uint64_t>::max(),
                         [](const HttpReplyHead&, std::string_view) { return Result<void>(); });
  std::string unread;
  while (!reader.has_head()) {
    char byte = 0;  // one byte at a time: the next may belong to TLS
    Result<size_t> got = co_await stream.read_some(&byte, 1);
    if (!got) co_return std::move(got).error().in("the proxy");
    if (*got == 0) co_return Error("the proxy closed the connection");
    unread += byte;
    if (auto read = reader.feed(unread); !read) co_return std::move(read).error().in("the proxy's answer is not HTTP");
  }
  if (const int status = reader.head().status; status / 100 != 2)
    co_return Error(fmt::format("the proxy refuses a connection to {}: HTTP status {}", to, status));
  co_return Result<void>();
}

Task<Result<HttpReply>> Network::get_unlimited(HttpRequest request) {
  const std::string what = request.method + " " + shown_url(request.url);
  Result<HttpUrl> url = parse_url(request.url);
  if (!url) co_return std::move(url).error();
  const bool by_proxy = !request.proxy.empty();
  Result<HttpUrl> first = by_proxy ? parse_url(request.proxy) : url;
  if (!first) co_return std::move(first).error().in("the proxy");
  if (by_proxy && first->tls) co_return Error(what + ": a proxy that is accessed over TLS is not supported");
  Result<Fd> connected = co_await connect_to(first->host, first->port);
  if (!connected) co_return std::move(connected).error().in(what);
  ByteStream stream(loop_, std::move(*connected));
  if (url->tls) {
    if (by_proxy) {
      Result<void> opened = co_await open_tunnel(stream, url->host, url->port, first->credentials);
      if (!opened) co_return std::move(opened).error().in(what);
    }
    ByteStream::TlsOptions options{.host = url->host,
                                   .verify = true,
                                   .ca_file = request.ca_file,
                                   .ca_pem = request.ca_pem,
                                   .client_certificate = request.client_certificate,
                                   .client_key = request.client_key};
    Result<TlsPeer> peer = co_await stream.handshake(std::move(options));
    if (!peer) co_return std::move(peer).error().in(what);
  }

  const bool whole_url = by_proxy && !url->tls;
  std::string head = fmt::format("{} {}{} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n", request.method,
                                 whole_url ? "http://" + url->authority : "", url->target, url->authority);
  if (whole_url && !first->credentials.empty())
    head += fmt::format("Proxy-Authorization: {}\r\n", basic(first->credentials));
  if (!url->credentials.empty()) head += fmt::format("Authorization: {}\r\n", basic(url->credentials));
  bool says_what_it_takes = false;
  for (const auto& [name, value] : request.headers) {
    if (name.find_first_of("\r\n:") != std::string::npos || value.find_first_of("\r\n") != std::string::npos)
      co_return Error(what + ": a header must not contain a line break");
    head += fmt::format("{}: {}\r\n", name, value);
    says_what_it_takes |= name == "Accept";
  }
  if (!says_what_it_takes) head += "Accept: */*\r\n";
  if (request.method != "GET") head += fmt::format("Content-Length: {}\r\n", request.body.size());
  head += "\r\n";
  head += request.body;
  Result<void> sent = co_await stream.write_all(std::move(head));
  if (!sent) co_return std::move(sent).error().in(what);

  HttpReply reply;
  const bool to_sink = static_cast<bool>(request.on_body);
  HttpReplyReader reader(request.max_body, [&](const HttpReplyHead& head, std::string_view piece) -> Result<void> {
    if (reply.status == 0) describe(head, reply);
    if (to_sink && head.status / 100 == 2) return request.on_body(reply, piece);
    reply.body += piece;
    return {};
  });
  std::string unread;
  Result<void> read;
  while (read && !reader.is_done()) {
    const size_t before = unread.size();
    unread.resize(before + (64u << 10));
    Result<size_t> got = co_await stream.read_some(unread.data() + before, unread.size() - before);
    if (!got) co_return std::move(got).error().in(what);
    unread.resize(before + *got);
    read = *got == 0 ? reader.closed() : reader.feed(unread);
    if (*got == 0) break;
  }
  if (reader.is_refused()) co_return std::move(read).error();
  if (!read || !reader.is_done()) {
    Error failed(
        fmt::format("{}: the response is incomplete or not HTTP{}", what, read ? "" : ": " + read.error().what));
    failed.os_errno = EPROTO;
    co_return failed;
  }
  if (reply.status == 0) describe(reader.head(), reply);
  co_return reply;
}

Task<Result<void>> Network::send(std::string socket, std::string datagram) {
  const Result<SocketAddress> to = SocketAddress::parse(socket);
  if (!to) co_return to.error();
  const Fd fd(::socket(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (!fd) co_return Error::from_errno(errno, "socket");
  // Waiting until the receiver has room requires a connected socket.
  if (::connect(fd.get(), reinterpret_cast<const sockaddr*>(&to->storage), to->length) != 0)
    co_return Error::from_errno(errno, "connecting to " + to->text);
  while (::send(fd.get(), datagram.data(), datagram.size(), MSG_NOSIGNAL) < 0) {
    if (errno == EINTR) continue;
    if (errno != EAGAIN) co_return Error::from_errno(errno, "sending to " + to->text);
    if (auto room = co_await fd_ready(loop_, fd.get(), EPOLLOUT); !room) co_return room;
  }
  co_return Result<void>();
}

}  // namespace sunup::host::real

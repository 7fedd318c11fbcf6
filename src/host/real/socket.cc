#include "host/real/socket.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/un.h>

#include <cerrno>
#include <cstring>

#include "base/text.h"

namespace sunup::host::real {

Result<SocketAddress> SocketAddress::of(const std::string& literal, uint16_t port) {
  SocketAddress address;
  sockaddr_in v4{};
  sockaddr_in6 v6{};
  if (::inet_pton(AF_INET, literal.c_str(), &v4.sin_addr) == 1) {
    v4.sin_family = AF_INET;
    v4.sin_port = htons(port);
    std::memcpy(&address.storage, &v4, sizeof v4);
    address.length = sizeof v4;
    address.text = fmt::format("{}:{}", literal, port);
  } else if (::inet_pton(AF_INET6, literal.c_str(), &v6.sin6_addr) == 1) {
    v6.sin6_family = AF_INET6;
    v6.sin6_port = htons(port);
    std::memcpy(&address.storage, &v6, sizeof v6);
    address.length = sizeof v6;
    address.text = fmt::format("[{}]:{}", literal, port);
  } else {
    Error error(literal + " is not an IP address");
    error.os_errno = EINVAL;
    return error;
  }
  return address;
}

Result<SocketAddress> SocketAddress::parse(std::string_view text) {
  if (text.starts_with('/')) {
    sockaddr_un un{};
    if (text.size() >= sizeof un.sun_path) return Error(fmt::format("{}: too long for a socket's path", text));
    un.sun_family = AF_UNIX;
    std::memcpy(un.sun_path, text.data(), text.size());
    SocketAddress address;
    std::memcpy(&address.storage, &un, sizeof un);
    address.length = sizeof un;
    address.text = text;
    return address;
  }
  const size_t colon = text.rfind(':');
  std::string_view host = text.substr(0, colon);
  const auto port = as_number<uint16_t>(colon == std::string_view::npos ? "" : text.substr(colon + 1));
  if (!port) return Error(fmt::format("{} is not an address with a port", text));
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  return of(std::string(host), *port);
}

namespace {

// A peer that has vanished without a message (a lost route, a firewall that forgets the connection) is noticed within a
// minute. This matters to requests that wait long for the next byte.
void keep_alive(int fd) {
  constexpr int kOn = 1;
  constexpr int kIdleSeconds = 30;
  constexpr int kIntervalSeconds = 10;
  constexpr int kProbes = 3;
  ::setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &kOn, sizeof kOn);
  ::setsockopt(fd, IPPROTO_TCP, TCP_KEEPIDLE, &kIdleSeconds, sizeof kIdleSeconds);
  ::setsockopt(fd, IPPROTO_TCP, TCP_KEEPINTVL, &kIntervalSeconds, sizeof kIntervalSeconds);
  ::setsockopt(fd, IPPROTO_TCP, TCP_KEEPCNT, &kProbes, sizeof kProbes);
}

}  // namespace

Task<Result<Fd>> connect(Loop& loop, SocketAddress to) {
  Fd fd(::socket(to.storage.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (!fd) co_return Error::from_errno(errno, "socket");
  if (to.storage.ss_family != AF_UNIX) {
    const int on = 1;
    ::setsockopt(fd.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    keep_alive(fd.get());
  }
  if (::connect(fd.get(), reinterpret_cast<const sockaddr*>(&to.storage), to.length) != 0) {
    if (errno != EINPROGRESS) co_return Error::from_errno(errno, "connecting to " + to.text);
    if (auto ready = co_await fd_ready(loop, fd.get(), EPOLLOUT); !ready) co_return std::move(ready).error();
    int error = 0;
    socklen_t size = sizeof error;
    ::getsockopt(fd.get(), SOL_SOCKET, SO_ERROR, &error, &size);
    if (error != 0) co_return Error::from_errno(error, "connecting to " + to.text);
  }
  co_return std::move(fd);
}

}  // namespace sunup::host::real

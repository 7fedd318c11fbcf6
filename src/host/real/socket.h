// Connecting without blocking the loop.
#pragma once

#include <sys/socket.h>

#include <string>
#include <string_view>

#include "base/result.h"
#include "host/real/loop.h"

namespace sunup::host::real {

struct SocketAddress {
  sockaddr_storage storage{};
  socklen_t length = 0;
  std::string text;  // for messages

  // "/run/x.sock", "10.0.0.1:443", "[fd00::1]:443". Literal addresses only.
  static Result<SocketAddress> parse(std::string_view text);
  static Result<SocketAddress> of(const std::string& literal, uint16_t port);
};

// A connected, non-blocking stream socket. The error has an errno: ECONNREFUSED, ENOENT (no such Unix socket) ...
Task<Result<Fd>> connect(Loop& loop, SocketAddress to);

}  // namespace sunup::host::real

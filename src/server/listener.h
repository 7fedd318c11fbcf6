// The sockets that the server listens on.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "server/options.h"

namespace sunup::server {

// Whether these options may be used. Requests and answers hold bootstrap tokens, so an address that others can reach
// needs TLS and authentication, or the flag that says that it has neither.
Result<void> check_exposure(const ServerOptions& options);

struct Listener {
  int descriptor = -1;
  int family = 0;
  std::string name;   // "127.0.0.1:8080", "[::1]:8080", "unix:/run/sunup.sock"
  uint16_t port = 0;  // 0: a unix socket
};
// All of them, or none. The caller closes them. A unix socket that nobody listens on any more is replaced.
Result<std::vector<Listener>> open_listeners(const ServerOptions& options);

}  // namespace sunup::server

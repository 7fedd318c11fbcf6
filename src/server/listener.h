// The sockets that the server listens on.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "server/options.h"

namespace sunup::server {

// Whether the options are allowed. Requests and responses contain bootstrap tokens, so an address that other machines
// can reach requires TLS and authentication, or the flag that allows neither. The API server of the cluster gets the
// tokens of callers, so its certificate must be verified.
Result<void> check_exposure(const ServerOptions& options);

struct Listener {
  int descriptor = -1;
  int family = 0;
  std::string name;   // "127.0.0.1:8080", "[::1]:8080", "unix:/run/sunup.sock"
  uint16_t port = 0;  // 0: a Unix socket
};
// Opens all of them, or none. The caller closes them. A stale Unix socket is replaced.
Result<std::vector<Listener>> open_listeners(const ServerOptions& options);

}  // namespace sunup::server

// Serves the API over HTTP/1.1, with or without TLS. One thread does all input and output, and a connection costs it a
// coroutine; the functions of routes run on worker threads, so that long ones do not stop /healthz
// (docs/decisions/0010).
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "server/options.h"

namespace sunup::server {

class Server {
 public:
  static Result<Server> start(const ServerOptions& options);

  Server(Server&& other) noexcept;
  Server& operator=(Server&&) = delete;
  ~Server();

  uint16_t port() const;                   // 0: only a unix socket
  std::vector<std::string> names() const;  // of what it listens on
  // Stops accepting, turns /readyz false, completes the requests that have begun, and ends the rest when the time for
  // it is over.
  void stop();

 private:
  struct Running;
  explicit Server(std::unique_ptr<Running> running);
  std::unique_ptr<Running> running_;
};

}  // namespace sunup::server

// Serves the API over HTTP/1.1, with or without TLS. One thread does all input and output, with one coroutine for each
// connection; the functions of routes run on worker threads, so that slow ones do not block /healthz
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

  uint16_t port() const;                   // 0: only a Unix socket
  std::vector<std::string> names() const;  // the names of the listeners
  // Stops accepting connections, makes /readyz fail, completes the requests that have begun, and aborts the rest when
  // the time limit has passed.
  void stop();

 private:
  struct Running;
  explicit Server(std::unique_ptr<Running> running);
  std::unique_ptr<Running> running_;
};

}  // namespace sunup::server

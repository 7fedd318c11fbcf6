// Serves the API over HTTP/1.1: a fixed number of workers, each with one connection at a time; with limits on the size
// and duration of requests.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "base/result.h"

namespace sunup::service {

struct ServerOptions {
  std::string address = "127.0.0.1";
  uint16_t port = 8080;  // 0: any
  int workers = 4;
  int timeout_seconds = 30;  // for a request, and for the idle time between requests on a connection
};

class Server {
 public:
  static Result<Server> start(const ServerOptions& options);

  Server(Server&& other) noexcept;
  Server& operator=(Server&&) = delete;
  ~Server() { stop(); }

  uint16_t port() const { return port_; }
  // Completes all requests that have begun.
  void stop();

 private:
  Server() = default;

  struct Shared;
  std::shared_ptr<Shared> shared_;
  uint16_t port_ = 0;
  std::vector<std::thread> workers_;
};

}  // namespace sunup::service

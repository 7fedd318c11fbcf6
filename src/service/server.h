// Serves the API over HTTP/1.1: a fixed number of workers, each with one connection at a time; limits on size and time
// for whatever a client sends.
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
  int timeout_seconds = 30;  // for a request, and for the pause before the next on one connection
};

class Server {
 public:
  static Result<Server> start(const ServerOptions& options);

  Server(Server&& other) noexcept;
  Server& operator=(Server&&) = delete;
  ~Server() { stop(); }

  uint16_t port() const { return port_; }
  // Lets every request that has begun come to its end.
  void stop();

 private:
  Server() = default;

  struct Shared;
  std::shared_ptr<Shared> shared_;
  uint16_t port_ = 0;
  std::vector<std::thread> workers_;
};

}  // namespace sunup::service

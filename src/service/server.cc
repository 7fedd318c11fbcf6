#include "service/server.h"

#include <arpa/inet.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <boost/beast/http/status.hpp>
#include <cerrno>
#include <chrono>
#include <memory>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "base/json_writer.h"
#include "service/http_request.h"
#include "service/router.h"

namespace sunup::service {

namespace http = boost::beast::http;
using Clock = std::chrono::steady_clock;

struct Server::Shared {
  int listener = -1;
  int stopping = -1;  // an eventfd that becomes readable, and stays so
  int timeout_seconds = 30;

  ~Shared() {
    if (listener >= 0) close(listener);
    if (stopping >= 0) close(stopping);
  }
};

namespace {

enum class Wait { kReady, kStopped, kTimeout };

Wait wait_for(int fd, short events, int stopping, Clock::time_point deadline) {
  while (true) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
    if (left <= 0) return Wait::kTimeout;
    pollfd waiting[] = {{fd, events, 0}, {stopping, POLLIN, 0}};
    const int ready = poll(waiting, stopping < 0 ? 1 : 2, static_cast<int>(left));
    if (ready < 0 && errno == EINTR) continue;
    if (waiting[0].revents != 0) return Wait::kReady;
    if (ready > 0) return Wait::kStopped;
    if (ready == 0) return Wait::kTimeout;
    return Wait::kStopped;
  }
}

class Conversation {
 public:
  Conversation(int client, int stopping, int timeout_seconds)
      : client_(client), stopping_(stopping), timeout_(std::chrono::seconds(timeout_seconds)) {}
  ~Conversation() { close(client_); }
  Conversation(const Conversation&) = delete;
  Conversation& operator=(const Conversation&) = delete;

  void run() {
    while (one_request()) {
    }
  }

 private:
  // False when the connection is over.
  bool one_request() {
    const Clock::time_point deadline = Clock::now() + timeout_;
    RequestReader reader;
    bool begun = !pending_.empty();
    RequestReader::State state = reader.feed(pending_);
    while (state == RequestReader::State::kNeedsMore) {
      // A request that has begun is let through; a connection that only waits for the next one ends with the server.
      const Wait waited = wait_for(client_, POLLIN, begun ? -1 : stopping_, deadline);
      if (waited != Wait::kReady) return begun && refuse({408, "the request took too long"}, deadline);
      std::array<char, 16384> buffer;
      const ssize_t got = recv(client_, buffer.data(), buffer.size(), 0);
      if (got <= 0) return false;
      pending_.append(buffer.data(), static_cast<size_t>(got));
      begun = true;
      state = reader.feed(pending_);
    }
    if (state == RequestReader::State::kRefused) return refuse(reader.refusal(), deadline);
    const HttpRequest request = reader.request();
    const ApiResponse response = handle(request_of(request.method, request.target, request.body));
    return send_response(response, request.keep_alive, deadline) && request.keep_alive;
  }

  bool refuse(const HttpRefusal& refusal, Clock::time_point deadline) {
    send_response({.status = refusal.status, .body = fmt::format("{{\"error\":{}}}\n", json_string(refusal.why))},
                  false, deadline);
    return false;
  }

  bool send_response(const ApiResponse& response, bool keep, Clock::time_point deadline) {
    std::string text =
        fmt::format("HTTP/1.1 {} {}\r\nContent-Type: {}\r\nContent-Length: {}\r\n{}\r\n", response.status,
                    std::string_view(http::obsolete_reason(static_cast<http::status>(response.status))),
                    response.content_type, response.body.size(), keep ? "" : "Connection: close\r\n");
    text += response.body;
    for (size_t at = 0; at < text.size();) {
      const ssize_t sent = send(client_, text.data() + at, text.size() - at, MSG_NOSIGNAL | MSG_DONTWAIT);
      if (sent > 0) {
        at += static_cast<size_t>(sent);
      } else if (errno == EAGAIN || errno == EINTR) {
        if (wait_for(client_, POLLOUT, -1, deadline) != Wait::kReady) return false;
      } else {
        return false;
      }
    }
    return true;
  }

  int client_;
  int stopping_;
  Clock::duration timeout_;
  std::string pending_;
};

}  // namespace

Server::Server(Server&& other) noexcept
    : shared_(std::move(other.shared_)), port_(other.port_), workers_(std::move(other.workers_)) {}

Result<Server> Server::start(const ServerOptions& options) {
  Server server;
  auto shared = std::make_shared<Shared>();
  shared->timeout_seconds = options.timeout_seconds;
  shared->stopping = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(options.port);
  if (inet_pton(AF_INET, options.address.c_str(), &address.sin_addr) != 1)
    return Error(fmt::format("'{}' is not an IPv4 address", options.address));
  shared->listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  const int on = 1;
  setsockopt(shared->listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  if (bind(shared->listener, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0 ||
      listen(shared->listener, 128) != 0)
    return Error::from_errno(errno, fmt::format("listening on {}:{}", options.address, options.port));
  socklen_t size = sizeof address;
  getsockname(shared->listener, reinterpret_cast<sockaddr*>(&address), &size);
  server.port_ = ntohs(address.sin_port);
  server.shared_ = shared;
  for (int i = 0; i < options.workers; ++i) {
    server.workers_.emplace_back([shared] {
      while (true) {
        const Wait waited = wait_for(shared->listener, POLLIN, shared->stopping, Clock::now() + std::chrono::hours(24));
        if (waited == Wait::kStopped) return;
        const int client = accept4(shared->listener, nullptr, nullptr, SOCK_CLOEXEC);
        if (client < 0) continue;  // another worker took it, or it went away
        Conversation(client, shared->stopping, shared->timeout_seconds).run();
      }
    });
  }
  return Result<Server>(std::move(server));
}

void Server::stop() {
  if (shared_ == nullptr) return;
  const uint64_t one = 1;
  [[maybe_unused]] const ssize_t written = write(shared_->stopping, &one, sizeof one);
  for (std::thread& worker : workers_) worker.join();
  workers_.clear();
  shared_.reset();
}

}  // namespace sunup::service

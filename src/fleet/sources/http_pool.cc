#include "fleet/sources/http_pool.h"

#include <fmt/format.h>

#include <algorithm>

#include "fleet/sources/http_exchange.h"

namespace sunup::fleet {
namespace {

constexpr size_t kMostIdle = 32;
// Shorter than the time after which servers and load balancers close silent connections.
constexpr std::chrono::seconds kLongestIdle{30};

}  // namespace

Result<HttpAnswer> HttpPool::send(const HttpUrl& url, const HttpOptions& options, const HttpSending& sending) {
  const Clock::time_point deadline = std::min(Clock::now() + options.timeout, options.deadline);
  // A connection whose server was judged by other authorities is not used.
  const std::string server =
      fmt::format("{}:{} {} {}\n{}", url.host, url.port, url.tls, options.verify, options.ca_pem);
  if (const auto kept = take(server)) {
    ConnectionUse use{.keep = true};
    auto answer = exchange(*kept, url, options, sending, deadline, use);
    if (answer && use.keep) put(server, std::move(*kept));
    if (answer || use.answered || Clock::now() >= deadline) return answer;
  }
  auto opened = Connection::open(url, options, deadline);
  if (!opened) return std::move(opened).error();
  ConnectionUse use{.keep = true};
  auto answer = exchange(*opened, url, options, sending, deadline, use);
  if (answer && use.keep) put(server, *std::move(opened));
  return answer;
}

std::unique_ptr<Connection> HttpPool::take(const std::string& server) {
  // Connections that end here are closed after the lock is released.
  std::vector<Idle> ended;
  const std::lock_guard lock(mutex_);
  if (server != server_) idle_.swap(ended);
  const Clock::time_point oldest = Clock::now() - kLongestIdle;
  while (!idle_.empty()) {
    Idle last = std::move(idle_.back());
    idle_.pop_back();
    if (last.since >= oldest && last.connection.is_silent())
      return std::make_unique<Connection>(std::move(last.connection));
    ended.push_back(std::move(last));
  }
  return nullptr;
}

void HttpPool::put(const std::string& server, Connection connection) {
  std::vector<Idle> ended;
  const std::lock_guard lock(mutex_);
  if (server != server_) {
    idle_.swap(ended);
    server_ = server;
  }
  if (idle_.size() < kMostIdle) idle_.push_back({std::move(connection), Clock::now()});
}

}  // namespace sunup::fleet

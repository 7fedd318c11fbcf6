// What the parts of a running server share. All of it but the thread pools and the log belongs to the thread that runs
// `io`.
#pragma once

#include <atomic>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <list>
#include <memory>
#include <string_view>
#include <vector>

#include "server/access.h"
#include "server/api_server.h"
#include "server/asking.h"
#include "server/metrics.h"
#include "server/node_results.h"
#include "server/options.h"
#include "server/request_log.h"
#include "server/tls.h"

namespace sunup::server {

// A connection, for those who have to end it.
class Session {
 public:
  virtual ~Session() = default;
  virtual void abort() = 0;
};

// The open connections. Sessions share its ownership, so that they can leave it in any order of destruction.
struct Sessions {
  std::list<Session*> idle;  // wait for a request, the one that has waited longest first
  std::list<Session*> busy;

  size_t size() const { return idle.size() + busy.size(); }
};

struct Core {
  explicit Core(const ServerOptions& given);

  ServerOptions options;
  asio::io_context io{1};
  WorkPool workers;    // the functions of routes
  WorkPool questions;  // requests to the cluster about callers
  WorkPool results;    // requests to the cluster about and for nodes that report their results
  Metrics metrics;
  RequestLog log;
  ApiServer cluster;
  Access access;
  ReportLimit report_limit;
  TlsContext tls;  // null: none

  bool ending = false;
  // Known once the server is ending. Workers read it too.
  std::atomic<std::chrono::steady_clock::time_point> end_of_work = std::chrono::steady_clock::time_point::max();
  const std::shared_ptr<Sessions> sessions = std::make_shared<Sessions>();
  asio::steady_timer session_ended;  // its wait is cancelled when a session ends
  size_t body_bytes = 0;             // of all requests that are being read or answered
  std::vector<char> scratch;         // bytes are read into it by one session at a time

  static constexpr size_t kMostBodyBytes = 256u << 20;
};

// The life of a connection.
asio::awaitable<void> serve_connection(Core& core, int descriptor, int family);

// A line of the log, in JSON; `members` is its content behind the time.
void log_line(Core& core, std::string_view members);

}  // namespace sunup::server

// What the parts of a running server share. All of it but the thread pools and the log belongs to the thread that runs
// `io`.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/thread_pool.hpp>
#include <list>
#include <memory>
#include <string_view>
#include <vector>

#include "server/access.h"
#include "server/api_server.h"
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
  asio::thread_pool workers;    // the functions of routes
  asio::thread_pool questions;  // requests to the cluster
  Metrics metrics;
  RequestLog log;
  ApiServer cluster;
  Access access;
  ReportLimit report_limit;
  TlsContext tls;  // null: none

  bool ending = false;
  const std::shared_ptr<Sessions> sessions = std::make_shared<Sessions>();
  asio::steady_timer session_ended;  // its wait is cancelled when a session ends
  size_t body_bytes = 0;             // of all requests that are being read or answered
  size_t working = 0;                // requests that wait for a worker or have one
  std::vector<char> scratch;         // bytes are read into it by one session at a time

  static constexpr size_t kMostBodyBytes = 256u << 20;
  static constexpr size_t kMostWorking = 4096;
};

// The life of a connection.
asio::awaitable<void> serve_connection(Core& core, int descriptor, int family);

// A line of the log, in JSON; `members` is its content behind the time.
void log_line(Core& core, std::string_view members);

}  // namespace sunup::server

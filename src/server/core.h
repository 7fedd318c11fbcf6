// The state that the parts of a running server share. Except for the thread pools and the log, it is used only by the
// thread that runs `io`.
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

// A connection that can be aborted.
class Session {
 public:
  virtual ~Session() = default;
  virtual void abort() = 0;
};

// The open connections and what they use. Sessions share its ownership, so that they can remove themselves in any order
// of destruction.
struct Sessions {
  std::list<Session*> idle;  // waiting for a request, the longest idle first
  std::list<Session*> busy;
  size_t body_bytes = 0;  // the memory of the bodies that are being read or processed
  size_t in_flight = 0;   // requests that workers process, or that wait for them

  size_t size() const { return idle.size() + busy.size(); }
};

struct Core {
  explicit Core(const ServerOptions& given);

  ServerOptions options;
  asio::io_context io{1};
  WorkPool workers;             // the functions of routes
  WorkPool questions;           // requests to the cluster about callers
  WorkPool node_questions;      // the same about nodes that report their results
  WorkPool stranger_questions;  // the same about tokens that the cluster has not accepted lately
  WorkPool results;             // requests to the cluster that record the results of nodes
  Metrics metrics;
  RequestLog log;
  ApiServer cluster;
  Access access;
  ReportLimit report_limit;
  TlsContext tls;  // null: no TLS

  bool ending = false;
  // Set once the server is shutting down. Workers read it too.
  std::atomic<std::chrono::steady_clock::time_point> end_of_work = std::chrono::steady_clock::time_point::max();
  const std::shared_ptr<Sessions> sessions = std::make_shared<Sessions>();
  asio::steady_timer session_ended;  // its wait is cancelled when a session ends
  std::vector<char> scratch;         // a read buffer; one session uses it at a time
};

// Serves one connection until it ends.
asio::awaitable<void> serve_connection(Core& core, int descriptor, int family);

// Logs one line of JSON; `members` is its content after the time.
void log_line(Core& core, std::string_view members);

}  // namespace sunup::server

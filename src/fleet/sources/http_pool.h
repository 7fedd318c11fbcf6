// Requests to one server over connections that stay open between them. Any number of threads may use it at a time; each
// request has a connection of its own while it runs.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/result.h"
#include "fleet/sources/connection.h"
#include "fleet/sources/http_client.h"

namespace sunup::fleet {

class HttpPool {
 public:
  // As HttpClient::send, without the server's certificates. A request that finds its connection closed by the server is
  // sent once more on a new one, so it must be one that can be repeated.
  Result<HttpAnswer> send(const HttpUrl& url, const HttpOptions& options, const HttpSending& sending);

 private:
  struct Idle {
    Connection connection;
    Clock::time_point since;
  };
  // A connection that seems to be usable; null: there is none.
  std::unique_ptr<Connection> take(const std::string& server);
  void put(const std::string& server, Connection connection);

  std::mutex mutex_;
  std::string server_;  // which server and which trust the idle connections are for
  std::vector<Idle> idle_;
};

}  // namespace sunup::fleet

// One request and its response, independent of the connection: access control, the thread that handles it, and logging.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "server/core.h"
#include "server/request_reader.h"
#include "service/router.h"

namespace sunup::server {

class Exchange {
 public:
  using Clock = std::chrono::steady_clock;

  Exchange(Core& core, Clock::time_point began) : core_(core), began_(began) {}

  // Called when the header is complete: returns a response if the body is not needed for it, for example because no
  // route has this path, or the caller may not use the route.
  asio::awaitable<std::optional<service::ApiResponse>> admit(const RequestReader& reader,
                                                             const std::optional<CertificateOwner>& certificate);
  // The largest body of the route that admit() has found.
  size_t most_body() const;
  // Called when the request is complete.
  asio::awaitable<service::ApiResponse> respond(const RequestReader& reader);
  // Called when the response is sent, or could not be sent.
  void record(std::string_view peer, std::string_view method, int status, size_t received, size_t sent);

  const std::string& id() const { return id_; }

 private:
  Clock::time_point latest() const { return began_ + core_.options.limits.request_time; }
  service::ApiResponse of_the_server();
  asio::awaitable<service::ApiResponse> record_report(service::ApiResponse response);

  Core& core_;
  const Clock::time_point began_;
  std::string id_;
  std::string user_;
  service::Match match_;
};

}  // namespace sunup::server

// One request and its answer, without the connection: who may send it, which thread answers it, and what is recorded.
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

  // When the header is complete: a response if the request is refused, before its body is read.
  asio::awaitable<std::optional<service::ApiResponse>> admit(const RequestReader& reader,
                                                             const std::optional<CertificateOwner>& certificate);
  // When all of it is there.
  asio::awaitable<service::ApiResponse> respond(const RequestReader& reader);
  // When the answer is sent, or could not be.
  void record(std::string_view peer, std::string_view method, int status, size_t received, size_t sent);

  const std::string& id() const { return id_; }

 private:
  service::ApiResponse of_the_server();
  asio::awaitable<service::ApiResponse> record_report(service::ApiResponse response);

  Core& core_;
  const Clock::time_point began_;
  std::string id_;
  std::string user_;
  service::Match match_;
};

}  // namespace sunup::server

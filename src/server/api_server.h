// Requests to the cluster's API server, over persistent connections. They block, so they run on threads of their own.
#pragma once

#include <atomic>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "base/deadline.h"
#include "base/result.h"
#include "fleet/sources/cluster_probe.h"
#include "fleet/sources/http_pool.h"

namespace sunup::server {

struct ApiServerAnswer {
  int status = 0;
  nlohmann::json body;  // an object; empty if the reply contains something else
};

class ApiServer {
 public:
  explicit ApiServer(fleet::ClusterAccess access) : access_(std::move(access)) {}

  bool configured() const { return !access_.url.empty(); }
  // The files are read for every request, because a pod's token is replaced every hour. Thread-safe. A request may be
  // sent twice.
  Result<ApiServerAnswer> send(std::string_view method, std::string_view path, std::string_view content_type = {},
                               const nlohmann::json& body = {}, Deadline deadline = {}) const;
  // All requests, also later ones, fail at this time at the latest.
  void end_by(Deadline::Clock::time_point time) { end_ = time; }

 private:
  fleet::ClusterAccess access_;
  mutable fleet::HttpPool connections_;
  std::atomic<Deadline::Clock::time_point> end_ = Deadline::Clock::time_point::max();
};

}  // namespace sunup::server

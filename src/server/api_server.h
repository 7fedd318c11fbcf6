// Requests to the cluster's API server. They block, so they run on threads that nothing else waits for.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "base/result.h"
#include "fleet/sources/cluster_probe.h"

namespace sunup::server {

struct ApiServerAnswer {
  int status = 0;
  nlohmann::json body;  // an object; empty if the answer holds something else
};

class ApiServer {
 public:
  explicit ApiServer(fleet::ClusterAccess access) : access_(std::move(access)) {}

  bool configured() const { return !access_.url.empty(); }
  // The files are read for every request, because a pod's token is replaced every hour.
  Result<ApiServerAnswer> send(std::string_view method, std::string_view path, std::string_view content_type = {},
                               const nlohmann::json& body = {}) const;

 private:
  fleet::ClusterAccess access_;
};

}  // namespace sunup::server

// Writes what nodes report to the cluster, where users look: an Event and an annotation of the NodeClaim, and of the
// Node if there is one. Writing the same report again changes nothing.
#pragma once

#include <chrono>
#include <string>
#include <unordered_map>

#include "server/api_server.h"
#include "service/routes.h"

namespace sunup::server {

inline constexpr char kResultAnnotation[] = "sunup.dev/result";

struct Recorded {
  int status = 0;  // 0: it is in the cluster; otherwise the status of the response
  std::string why = {};
};
// Blocks.
Recorded record_result(const ApiServer& cluster, const service::NodeReport& report);

// The value of the annotation, in JSON.
std::string result_annotation(const service::NodeReport& report);
// The text of the Event.
std::string result_message(const service::NodeReport& report);

// A node that is in a loop must not fill the cluster with Events: some reports at once, then one every ten seconds.
class ReportLimit {
 public:
  using Clock = std::chrono::steady_clock;
  bool take(const std::string& node, Clock::time_point now);

 private:
  static constexpr double kBurst = 5;
  static constexpr double kPerSecond = 0.1;
  static constexpr size_t kMostNodes = 10000;
  struct Bucket {
    double left = kBurst;
    Clock::time_point at;
  };
  std::unordered_map<std::string, Bucket> buckets_;
};

}  // namespace sunup::server

// Writes what nodes report to the cluster, where users look: an Event and an annotation of the NodeClaim, and of the
// Node if there is one. Writing the same report again changes nothing, and a report whose writing failed half way can
// be sent again.
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
  bool is_new = false;  // the cluster had no Event of this report yet; also if the rest of it could not be written
};
// Blocks until the deadline at the latest. `joined`: the caller has the credential of the node itself. A bootstrap
// token is the same for many nodes, so with one the report about a node that is Ready must be of the boot that the Node
// has (docs/security.md).
Recorded record_result(const ApiServer& cluster, const service::NodeReport& report, bool joined, Deadline deadline);

// Whether this report about this Node (null: there is none) may be written.
bool report_is_believed(const nlohmann::json& node, const service::NodeReport& report, bool joined);

// What an autoscaler can act on: a name of exit_codes.h, also for an unknown code.
std::string_view failure_class(int exit_code);

// The value of the annotation, in JSON.
std::string result_annotation(const service::NodeReport& report);
// The text of the Event.
std::string result_message(const service::NodeReport& report);

// A node that is in a loop must not fill the cluster with Events: some reports at once, then one every ten seconds.
class ReportLimit {
 public:
  using Clock = std::chrono::steady_clock;
  bool take(const std::string& node, Clock::time_point now);
  // A report that take() let through has changed nothing: it does not count. Names of nodes that do not exist are
  // forgotten in this way.
  void give_back(const std::string& node, Clock::time_point now);

 private:
  static constexpr double kBurst = 5;
  static constexpr double kPerSecond = 0.1;
  static constexpr size_t kMostNodes = 10000;
  struct Bucket {
    double left = kBurst;
    Clock::time_point at;

    double refilled(Clock::time_point now) const;
  };
  std::unordered_map<std::string, Bucket> buckets_;
};

}  // namespace sunup::server

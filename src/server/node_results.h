// Writes the reports of nodes to the cluster, where users can see them: as an Event and an annotation of the NodeClaim,
// and of the Node if there is one. Writing is idempotent, and a report that was written partly can be sent again.
#pragma once

#include <chrono>
#include <set>
#include <string>
#include <unordered_map>

#include "server/api_server.h"
#include "service/routes.h"

namespace sunup::server {

inline constexpr char kResultAnnotation[] = "sunup.dev/result";

struct Recorded {
  int status = 0;  // 0: written to the cluster; otherwise the status of the response
  std::string why = {};
  bool is_new = false;  // the cluster had no Event of this report; also if the rest of it could not be written
};
// Blocks until the deadline at the latest. `joined`: the caller has the credential of the node itself. Many nodes share
// a bootstrap token, so with a token, a report about a node that is Ready must have the boot id of the Node
// (docs/security.md).
Recorded record_result(const ApiServer& cluster, const service::NodeReport& report, bool joined, Deadline deadline);

// Whether this report about this Node (null: there is none) may be written.
bool report_is_believed(const nlohmann::json& node, const service::NodeReport& report, bool joined);
// The Nodes that a NodeClaim of this name may belong to (null: there is no NodeClaim): the one that Karpenter makes for
// it, and the one in its status.
std::set<std::string> nodes_of_claim(const nlohmann::json& claim, const std::string& name);

// The class of the failure, for autoscalers: a name of exit_codes.h, also for an unknown code.
std::string_view failure_class(int exit_code);

// The value of the annotation, in JSON.
std::string result_annotation(const service::NodeReport& report);
// The text of the Event.
std::string result_message(const service::NodeReport& report);

// A node that reports in a loop must not fill the cluster with Events: a burst is allowed, then one report every ten
// seconds.
class ReportLimit {
 public:
  using Clock = std::chrono::steady_clock;
  bool take(const std::string& node, Clock::time_point now);
  // Undoes take() for a report that has changed nothing. This also drops the names of nodes that do not exist.
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

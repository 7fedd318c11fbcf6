// The content of a node's request to the result service (POST /v1/nodes/NAME/result): the members of failure_json after
// a failure, and for every result the run and the time of each milestone.
//
//   {"node":"aks-pool1-x7k2p","exitCode":0,"timeline":"containerd ready +0.412s, ...","run":"6f0c...",
//    "milestones":{"controller.start":0.0,"containerd.ready":0.412}}
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "report/failure.h"

namespace sunup::report {

// The service refuses requests with more milestones or longer names, so these are omitted.
inline constexpr size_t kMostMilestones = 32;
inline constexpr size_t kLongestMilestone = 64;

struct SentResult {
  std::string node = {};                                        // its name in the cluster
  std::optional<Failure> failure = {};                          // empty: a success
  std::string timeline = {};                                    // one line
  std::string run = {};                                         // distinguishes two runs: the ID of the boot
  std::vector<std::pair<std::string, double>> milestones = {};  // seconds since the start of the run
};

std::string to_json(const SentResult& result);

}  // namespace sunup::report

// The progress of a run in one line, for the verdict of a failure and short enough for the serial console, and the
// milestones that it reached.
//
//   containerd +0.412s, kubelet never started, ended +30.650s; longest: network.outbound 30.200s (5 attempts),
//   imds 1.2s
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "timeline/model.h"
#include "timeline/sources.h"

namespace sunup::timeline {

struct Summary {
  std::string line = {};
  std::vector<std::pair<std::string, double>> milestones = {};  // id and seconds since the zero, in order of time
};

Summary summary(const Timeline& timeline);

// Uses the available sources; empty if they contain nothing about a run.
Summary summary_of(const Sources& sources);

}  // namespace sunup::timeline

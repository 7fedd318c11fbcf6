// The progress of a run in one line, for the verdict of a failure and short enough for the serial console.
//
//   containerd +0.412s, kubelet never started, ended +30.650s; longest: network.outbound 30.200s (5 attempts),
//   imds 1.2s
#pragma once

#include <string>

#include "timeline/model.h"
#include "timeline/sources.h"

namespace sunup::timeline {

std::string summary(const Timeline& timeline);

// From the available sources; empty if they contain nothing about a run.
std::string summary_of(const Sources& sources);

}  // namespace sunup::timeline

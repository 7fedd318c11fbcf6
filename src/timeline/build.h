// Makes a timeline of what was gathered. Nothing is guessed: a milestone that no source knows is listed as missing with
// the reason, a time that could only be placed roughly is marked.
#pragma once

#include <string>

#include "base/result.h"
#include "timeline/model.h"
#include "timeline/sources.h"

namespace sunup::timeline {

struct BuildOptions {
  std::string zero = {};  // a milestone's id; empty: where the run began
};

// An error only when no source holds anything about a provision or a boot, or the wanted zero did not happen. Where
// provision.json is all there is, the timeline has a verdict and perhaps no points.
Result<Timeline> build(const Sources& sources, const BuildOptions& options = {});

}  // namespace sunup::timeline

// Builds a timeline from the gathered sources. Nothing is guessed: a milestone that no source contains is listed as
// missing with the reason, and a time that is only roughly known is marked.
#pragma once

#include <string>

#include "base/result.h"
#include "timeline/model.h"
#include "timeline/sources.h"

namespace sunup::timeline {

struct BuildOptions {
  std::string zero = {};  // the id of a milestone; empty: the start of the run
};

// Returns an error only if no source contains information about a run or a boot, or if the requested zero did not
// happen. If provision.json is the only source, the timeline has a verdict but possibly no points.
Result<Timeline> build(const Sources& sources, const BuildOptions& options = {});

}  // namespace sunup::timeline

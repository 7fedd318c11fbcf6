// The own time of each moment of a run: the time since the last moment that it waited for. A delay is therefore
// attributed to its origin and not to everything that follows.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "timeline/compare.h"

namespace sunup::timeline {

struct OwnTime {
  double seconds = 0;                // since the zero, if it follows no known moment
  std::optional<size_t> after = {};  // the moment that it is measured from
};

// In the order of the run's moments.
std::vector<OwnTime> own_times(const Run& run);

// `goal` and the moments that it waited for, one before the other; empty if it did not happen in this run.
std::set<std::string> way_to(const Run& run, const std::string& goal);

}  // namespace sunup::timeline

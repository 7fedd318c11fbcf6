// How long each moment of a run took by itself: since the last of what it waited for, so that a late start is not
// blamed on everything that follows it.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "timeline/compare.h"

namespace sunup::timeline {

struct OwnTime {
  double seconds = 0;                // of what follows nothing that is known: since the zero
  std::optional<size_t> after = {};  // the moment it is counted from
};

// In the order of the run's moments.
std::vector<OwnTime> own_times(const Run& run);

// The moments that `goal` waited for, one before the other, and itself; empty: it did not happen in this run.
std::set<std::string> way_to(const Run& run, const std::string& goal);

}  // namespace sunup::timeline

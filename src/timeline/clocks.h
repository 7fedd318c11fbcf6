// Converts wall-clock times to the monotonic clock of a boot, also if the wall clock was changed.
//
// Sources that contain both clocks (journal entries, the run record) provide anchors. Between two anchors with the same
// difference the wall clock ran evenly; where the difference changes, it was set. A wall time that matches no stretch,
// or several, is converted as well as possible and marked as approximate.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "timeline/model.h"

namespace sunup::timeline {

struct Anchor {
  Nanos monotonic = 0;
  Nanos wall = 0;  // since 1970
};

struct Placed {
  Nanos at = 0;
  bool approximate = false;
};

class Clocks {
 public:
  explicit Clocks(std::vector<Anchor> anchors);

  bool known() const { return !stretches_.empty(); }
  std::optional<Placed> place(Nanos wall) const;
  // Wall minus monotonic at that moment.
  std::optional<Nanos> offset_at(Nanos monotonic) const;

  struct Jump {
    Nanos at = 0;  // not later than this
    Nanos by = 0;  // positive: forward
  };
  std::vector<Jump> jumps() const;

 private:
  struct Stretch {
    Nanos from = 0;
    Nanos to = 0;
    Nanos offset = 0;
  };
  std::vector<Stretch> stretches_;  // ordered by time, without overlaps
};

}  // namespace sunup::timeline

// Wall-clock times put on the monotonic axis of one boot, through jumps of the wall clock.
//
// Sources that know both clocks of a moment (journal entries, the run record) are anchors. Between two anchors with the
// same difference the clock ran evenly; where the difference changes, it was set. A wall time that fits no stretch, or
// more than one, is placed as well as possible and called approximate.
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
  std::vector<Stretch> stretches_;  // in time, no overlaps
};

}  // namespace sunup::timeline

#include "timeline/clocks.h"

#include <algorithm>
#include <cstdlib>
#include <limits>

namespace sunup::timeline {
namespace {

// NTP slews a clock by at most 500 ppm, and an anchor's two readings are not taken at the same instant.
constexpr Nanos kEven = 20'000'000;

}  // namespace

Clocks::Clocks(std::vector<Anchor> anchors) {
  std::ranges::stable_sort(anchors, {}, &Anchor::monotonic);
  for (const Anchor& anchor : anchors) {
    const Nanos offset = anchor.wall - anchor.monotonic;
    if (!stretches_.empty() && std::abs(stretches_.back().offset - offset) <= kEven) {
      stretches_.back().to = anchor.monotonic;
      continue;
    }
    stretches_.push_back({anchor.monotonic, anchor.monotonic, offset});
  }
}

std::optional<Placed> Clocks::place(Nanos wall) const {
  if (stretches_.empty()) return std::nullopt;
  std::optional<Placed> best;
  Nanos nearest = std::numeric_limits<Nanos>::max();
  int fits = 0;
  for (size_t i = 0; i < stretches_.size(); ++i) {
    const Stretch& stretch = stretches_[i];
    const Nanos at = wall - stretch.offset;
    // The first interval begins with the boot and the last has no end. Between two intervals the clock was set at an
    // unknown time.
    const Nanos from = i == 0 ? std::numeric_limits<Nanos>::min() : stretches_[i - 1].to;
    const Nanos to = i + 1 == stretches_.size() ? std::numeric_limits<Nanos>::max() : stretches_[i + 1].from;
    const Nanos away = at < from ? from - at : at > to ? at - to : 0;
    if (away == 0) ++fits;
    if (away >= nearest) continue;
    nearest = away;
    best = Placed{std::clamp(at, from, to), false};
  }
  best->approximate = fits != 1;
  return best;
}

std::optional<Nanos> Clocks::offset_at(Nanos monotonic) const {
  if (stretches_.empty()) return std::nullopt;
  for (const Stretch& stretch : stretches_)
    if (monotonic <= stretch.to) return stretch.offset;
  return stretches_.back().offset;
}

std::vector<Clocks::Jump> Clocks::jumps() const {
  std::vector<Jump> all;
  for (size_t i = 1; i < stretches_.size(); ++i)
    all.push_back({stretches_[i].from, stretches_[i].offset - stretches_[i - 1].offset});
  return all;
}

}  // namespace sunup::timeline

#include "timeline/own_time.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "base/text.h"
#include "timeline/milestones.h"

namespace sunup::timeline {
namespace {

using Places = std::map<std::string_view, size_t>;  // of the moments of a run

class Latest {
 public:
  Latest(const Run& run, const Places& places, const Moment& moment) : run_(run), places_(places), moment_(moment) {
    seen_.insert(moment.id);
  }

  // A moment that did not happen in this run is replaced by the moments that it follows.
  void consider(std::string_view id) {
    if (!seen_.insert(id).second) return;
    const auto found = places_.find(id);
    if (found == places_.end()) return consider_rule(id);
    const double at = run_.moments[found->second].at;
    if (at <= moment_.at && (!latest_ || at > run_.moments[*latest_].at)) latest_ = found->second;
  }
  void consider_rule(std::string_view id) {
    const MilestoneRule* rule = find_milestone(id);
    std::string_view rest = rule == nullptr ? "" : rule->after;
    while (!rest.empty()) {
      consider(take_until(rest, ' '));
    }
  }
  std::optional<size_t> found() const { return latest_; }

 private:
  const Run& run_;
  const Places& places_;
  const Moment& moment_;
  std::set<std::string_view> seen_;
  std::optional<size_t> latest_;
};

}  // namespace

std::vector<OwnTime> own_times(const Run& run) {
  Places places;
  for (size_t i = 0; i < run.moments.size(); ++i) places.emplace(run.moments[i].id, i);
  std::vector<OwnTime> own;
  for (const Moment& moment : run.moments) {
    Latest latest(run, places, moment);
    for (const std::string& id : moment.after) latest.consider(id);
    if (!latest.found()) latest.consider_rule(moment.id);
    const auto after = latest.found();
    own.push_back({after ? moment.at - run.moments[*after].at : std::max(moment.at, 0.0), after});
  }
  return own;
}

std::set<std::string> way_to(const Run& run, const std::string& goal) {
  std::set<std::string> way;
  const auto found = std::ranges::find(run.moments, goal, &Moment::id);
  if (found == run.moments.end()) return way;
  const std::vector<OwnTime> own = own_times(run);
  std::optional<size_t> at = static_cast<size_t>(found - run.moments.begin());
  while (at && way.insert(run.moments[*at].id).second) at = own[*at].after;
  return way;
}

}  // namespace sunup::timeline

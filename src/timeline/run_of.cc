#include <algorithm>
#include <set>

#include "timeline/compare.h"

namespace sunup::timeline {
namespace {

// What each point waited for last, as in the critical chain (chain.cc).
std::vector<const Wait*> last_waits(const Timeline& timeline) {
  std::vector<const Wait*> last(timeline.points.size());
  for (const Wait& wait : timeline.waits) {
    const Nanos from = timeline.points[wait.from].at;
    if (from > timeline.points[wait.to].at) continue;
    const Wait*& known = last[wait.to];
    if (known == nullptr || from > timeline.points[known->from].at) known = &wait;
  }
  return last;
}

}  // namespace

Run run_of(std::string name, const Timeline& timeline) {
  Run run{.name = std::move(name), .moments = {}, .state = timeline.state};
  std::vector<size_t> chosen;
  std::vector<bool> is_moment(timeline.points.size());
  const auto add = [&](size_t index, std::string label) {
    if (is_moment[index]) return;
    is_moment[index] = true;
    const Point& point = timeline.points[index];
    run.moments.push_back({point.id, std::move(label), timeline.seconds(point.at)});
    chosen.push_back(index);
  };
  for (size_t i = 0; i < timeline.points.size(); ++i)
    if (timeline.points[i].milestone) add(i, timeline.points[i].label);
  for (const Span& span : timeline.spans) {
    const bool is_step = span.kind == SpanKind::kStep || span.kind == SpanKind::kScript;
    if (!is_step || timeline.points[span.end].milestone || span.state != SpanState::kDone || span.depth > 0) continue;
    add(span.end, span.name + " done");
  }
  const std::vector<const Wait*> last = last_waits(timeline);
  for (size_t i = 0; i < chosen.size(); ++i) {
    std::set<size_t> seen{chosen[i]};  // points of the same time may wait for each other
    const Wait* wait = last[chosen[i]];
    while (wait != nullptr && !is_moment[wait->from] && seen.insert(wait->from).second) wait = last[wait->from];
    if (wait != nullptr && is_moment[wait->from]) run.moments[i].after = {timeline.points[wait->from].id};
  }
  std::ranges::stable_sort(run.moments, {}, &Moment::at);
  return run;
}

}  // namespace sunup::timeline

#include "timeline/chain.h"

#include <algorithm>
#include <string>

namespace sunup::timeline {
namespace {

std::optional<size_t> goal(const Timeline& timeline) {
  if (!timeline.failed_step.empty())
    if (const auto failed = timeline.find("step:" + timeline.failed_step + ":end")) return failed;
  for (const char* id : {"node.ready", "provision.complete", "cse.done"})
    if (const auto point = timeline.find(id)) return point;
  std::optional<size_t> last;
  for (size_t i = 0; i < timeline.points.size(); ++i)
    if (timeline.points[i].milestone && (!last || timeline.points[i].at >= timeline.points[*last].at)) last = i;
  return last;
}

}  // namespace

void mark_critical_chain(Timeline& timeline) {
  auto at = goal(timeline);
  if (!at) return;
  std::vector<std::vector<size_t>> before(timeline.points.size());
  for (size_t i = 0; i < timeline.waits.size(); ++i) before[timeline.waits[i].to].push_back(i);

  // Each step goes to another point that is not later; points already on the chain are not visited again.
  while (true) {
    Point& point = timeline.points[*at];
    point.critical = true;
    const Wait* last = nullptr;
    for (const size_t i : before[*at]) {
      const Wait& wait = timeline.waits[i];
      const Point& from = timeline.points[wait.from];
      if (from.at > point.at || from.critical) continue;
      if (last == nullptr || from.at > timeline.points[last->from].at) last = &wait;
    }
    if (last == nullptr) break;
    timeline.chain.push_back({last->from, last->to, last->what});
    at = last->from;
  }
  std::ranges::reverse(timeline.chain);
  // The chain runs through a span when it leaves its start or reaches its end within it.
  const auto inside = [&timeline](const Span& span, const Link* link) {
    return link != nullptr && timeline.points[link->from].at >= timeline.start_of(span) &&
           timeline.points[link->to].at <= timeline.end_of(span);
  };
  std::vector<const Link*> leaving(timeline.points.size());
  std::vector<const Link*> reaching(timeline.points.size());
  for (const Link& link : timeline.chain) {
    leaving[link.from] = &link;
    reaching[link.to] = &link;
  }
  for (Span& span : timeline.spans)
    span.critical = inside(span, leaving[span.start]) || inside(span, reaching[span.end]);
}

}  // namespace sunup::timeline

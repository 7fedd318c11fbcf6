#include "timeline/draft.h"

#include <algorithm>
#include <string>

namespace sunup::timeline {
namespace {

// What an unfinished run is waiting for: of the steps without an end, the one that began last. A deferred step counts
// only if no other step is open.
std::optional<size_t> open_span(const Timeline& timeline) {
  std::optional<size_t> last;
  for (size_t i = 0; i < timeline.spans.size(); ++i) {
    const Span& span = timeline.spans[i];
    if (!span.open) continue;
    if (!last) {
      last = i;
      continue;
    }
    const Span& best = timeline.spans[*last];
    const bool later = timeline.start_of(span) > timeline.start_of(best);
    if (span.deferred == best.deferred ? later : best.deferred) last = i;
  }
  return last;
}

bool has_no_end(const Timeline& timeline) {
  return timeline.state == RunState::kRunning || timeline.state == RunState::kCutOff;
}

std::optional<size_t> goal(const Timeline& timeline) {
  if (timeline.waiting_for) return timeline.spans[*timeline.waiting_for].end;
  if (!timeline.failed_step.empty())
    if (const auto failed = timeline.find("step:" + timeline.failed_step + ":end")) return failed;
  for (const char* id : {"node.ready", "provision.complete", "cse.done"})
    if (const auto point = timeline.find(id)) return point;
  // Otherwise: the last point that was reached.
  std::optional<size_t> last;
  const auto later = [&](size_t i) { return !last || timeline.points[i].at >= timeline.points[*last].at; };
  for (size_t i = 0; i < timeline.points.size(); ++i)
    if (timeline.points[i].milestone && later(i)) last = i;
  for (const Span& span : timeline.spans)
    if ((span.kind == SpanKind::kStep || span.kind == SpanKind::kScript) && later(span.end)) last = span.end;
  return last;
}

}  // namespace

void mark_critical_chain(Timeline& timeline) {
  if (has_no_end(timeline)) timeline.waiting_for = open_span(timeline);
  auto at = goal(timeline);
  if (!at) return;
  std::vector<std::vector<size_t>> before(timeline.points.size());
  for (size_t i = 0; i < timeline.waits.size(); ++i) before[timeline.waits[i].to].push_back(i);

  // Each step goes to another point that is not later; points on the chain are not visited again.
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
  // The chain runs through a span if it leaves its start or reaches its end and some of that time lies in the span.
  const auto overlaps = [&timeline](const Span& span, const Link* link) {
    if (link == nullptr) return false;
    const Nanos from = std::max(timeline.points[link->from].at, timeline.start_of(span));
    const Nanos to = std::min(timeline.points[link->to].at, timeline.end_of(span));
    return from < to || (from == to && timeline.start_of(span) == timeline.end_of(span));
  };
  std::vector<const Link*> leaving(timeline.points.size());
  std::vector<const Link*> reaching(timeline.points.size());
  for (const Link& link : timeline.chain) {
    leaving[link.from] = &link;
    reaching[link.to] = &link;
  }
  for (Span& span : timeline.spans)
    span.critical = overlaps(span, leaving[span.start]) || overlaps(span, reaching[span.end]);
}

}  // namespace sunup::timeline

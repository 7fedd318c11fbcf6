#include <algorithm>
#include <nlohmann/json.hpp>
#include <vector>

#include "timeline/formats.h"

namespace sunup::timeline {
namespace {

using nlohmann::ordered_json;

constexpr int kProcess = 1;
constexpr int kMilestones = 1;  // thread ids; lanes of spans follow

double micros(Nanos at) {
  return static_cast<double>(at) / 1000.0;
}

ordered_json thread_name(int thread, std::string name) {
  return {
      {"ph", "M"}, {"name", "thread_name"}, {"pid", kProcess}, {"tid", thread}, {"args", {{"name", std::move(name)}}}};
}

// Events of one thread must nest, so each kind gets as many lanes as it has simultaneous spans.
class Lanes {
 public:
  explicit Lanes(int first) : next_(first) {}
  int lane(std::string_view kind, Nanos start, Nanos end) {
    for (Lane& one : lanes_) {
      if (one.kind != kind || one.until > start) continue;
      one.until = end;
      return one.thread;
    }
    lanes_.push_back({std::string(kind), next_, end});
    return next_++;
  }
  struct Lane {
    std::string kind;
    int thread;
    Nanos until;
  };
  const std::vector<Lane>& all() const { return lanes_; }

 private:
  int next_;
  std::vector<Lane> lanes_;
};

}  // namespace

std::string as_perfetto(const Timeline& timeline) {
  // Times are relative to the first point. If only the wall clock is known, microseconds since 1970 leave no digits of
  // a double for fractions, and adjacent spans would overlap.
  Nanos first = 0;
  if (!timeline.points.empty()) first = std::ranges::min_element(timeline.points, {}, &Point::at)->at;
  ordered_json events = ordered_json::array();
  events.push_back({{"ph", "M"},
                    {"name", "process_name"},
                    {"pid", kProcess},
                    {"tid", 0},
                    {"args", {{"name", "provision " + timeline.node}}}});
  events.push_back(thread_name(kMilestones, "milestones"));
  events.push_back(thread_name(kMilestones + 1, "critical chain"));
  for (const Link& link : timeline.chain) {
    const Point& from = timeline.points[link.from];
    const Point& to = timeline.points[link.to];
    events.push_back({{"ph", "X"},
                      {"name", link.waited_for},
                      {"cat", "chain"},
                      {"ts", micros(from.at - first)},
                      {"dur", micros(to.at - from.at)},
                      {"pid", kProcess},
                      {"tid", kMilestones + 1},
                      {"args", {{"from", from.label}, {"to", to.label}}}});
  }
  Lanes lanes(kMilestones + 2);
  for (const Row& row : rows(timeline)) {
    if (row.milestone != nullptr) {
      events.push_back({{"ph", "i"},
                        {"name", row.milestone->label},
                        {"cat", "milestone"},
                        {"ts", micros(row.milestone->at - first)},
                        {"pid", kProcess},
                        {"tid", kMilestones},
                        {"s", "p"},
                        {"args", {{"source", row.milestone->source}, {"critical", row.milestone->critical}}}});
      continue;
    }
    const Span& span = *row.span;
    const Nanos start = timeline.start_of(span);
    const Nanos end = timeline.end_of(span);
    events.push_back({{"ph", "X"},
                      {"name", span.name},
                      {"cat", span.critical ? std::string(to_string(span.kind)) + ",critical" : to_string(span.kind)},
                      {"ts", micros(start - first)},
                      {"dur", micros(end - start)},
                      {"pid", kProcess},
                      {"tid", lanes.lane(to_string(span.kind), start, end)},
                      {"args",
                       {{"state", to_string(span.state)},
                        {"purpose", span.purpose},
                        {"why", span.why},
                        {"needs", span.needs},
                        {"provides", span.provides},
                        {"retries", span.retries},
                        {"notes", span.notes},
                        {"error", span.error},
                        {"critical", span.critical}}}});
  }
  for (const Lanes::Lane& lane : lanes.all()) events.push_back(thread_name(lane.thread, lane.kind + "s"));
  const ordered_json out{{"displayTimeUnit", "ms"},
                         {"otherData", {{"node", timeline.node}, {"boot", timeline.boot}, {"mode", timeline.mode}}},
                         {"traceEvents", std::move(events)}};
  return out.dump(-1, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace sunup::timeline

#include <cmath>
#include <nlohmann/json.hpp>

#include "timeline/formats.h"

namespace sunup::timeline {
namespace {

using nlohmann::ordered_json;

// The sources have microseconds; more digits have no meaning.
double rounded(double seconds) {
  return std::round(seconds * 1e6) / 1e6;
}

ordered_json milestone(const Timeline& timeline, const Point& point) {
  return {{"id", point.id},         {"label", point.label},       {"at", rounded(timeline.seconds(point.at))},
          {"source", point.source}, {"critical", point.critical}, {"approximate", point.approximate}};
}

ordered_json span_of(const Timeline& timeline, const Span& span) {
  ordered_json out{{"name", span.name},
                   {"kind", to_string(span.kind)},
                   {"state", to_string(span.state)},
                   {"start", rounded(timeline.seconds(timeline.start_of(span)))},
                   {"end", rounded(timeline.seconds(timeline.end_of(span)))},
                   {"depth", span.depth},
                   {"critical", span.critical},
                   {"deferred", span.deferred},
                   {"purpose", span.purpose},
                   {"why", span.why},
                   {"needs", span.needs},
                   {"provides", span.provides},
                   {"retries", span.retries},
                   {"notes", span.notes},
                   {"error", span.error}};
  return out;
}

}  // namespace

std::string as_json(const Timeline& timeline) {
  ordered_json out{
      {"schema", "sunup.timeline/1"},   {"node", timeline.node},
      {"boot", timeline.boot},          {"mode", timeline.mode},
      {"version", timeline.version},    {"state", to_string(timeline.state)},
      {"exitCode", timeline.exit_code}, {"failedStep", timeline.failed_step},
      {"error", timeline.error},        {"zero", {{"label", timeline.zero_label}, {"wall", wall_of_zero(timeline)}}}};
  out["waitingFor"] = nullptr;
  if (timeline.waiting_for) {
    const Span& span = timeline.spans[*timeline.waiting_for];
    out["waitingFor"] = {{"name", span.name}, {"since", rounded(timeline.seconds(timeline.start_of(span)))}};
  }
  ordered_json& milestones = out["milestones"] = ordered_json::array();
  ordered_json& spans = out["spans"] = ordered_json::array();
  for (const Row& row : rows(timeline)) {
    if (row.span != nullptr)
      spans.push_back(span_of(timeline, *row.span));
    else
      milestones.push_back(milestone(timeline, *row.milestone));
  }
  ordered_json& chain = out["chain"] = ordered_json::array();
  for (const Link& link : timeline.chain) {
    const Point& from = timeline.points[link.from];
    const Point& to = timeline.points[link.to];
    chain.push_back({{"from", from.id},
                     {"to", to.id},
                     {"label", to.label},
                     {"at", rounded(timeline.seconds(to.at))},
                     {"gap", rounded(static_cast<double>(to.at - from.at) / 1e9)},
                     {"waitedFor", link.waited_for}});
  }
  ordered_json& missing = out["missing"] = ordered_json::array();
  for (const Missing& one : timeline.missing) missing.push_back({{"label", one.label}, {"why", one.why}});
  ordered_json& sources = out["sources"] = ordered_json::array();
  for (const SourceNote& one : timeline.sources)
    sources.push_back({{"name", one.name}, {"found", one.found}, {"detail", one.detail}});
  out["warnings"] = timeline.warnings;
  return out.dump(2, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace sunup::timeline

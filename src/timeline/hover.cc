#include "timeline/hover.h"

#include <fmt/format.h>

namespace sunup::timeline {
namespace {

std::string joined(const std::vector<std::string>& parts, const char* separator) {
  std::string text;
  for (const std::string& part : parts) text += (text.empty() ? "" : separator) + part;
  return text;
}

std::string seconds_between(const Point& from, const Point& to) {
  return short_duration(static_cast<double>(to.at - from.at) / 1e9);
}

}  // namespace

Hover hover_of(const Timeline& timeline, const Row& row) {
  Hover hover;
  if (row.milestone != nullptr) {
    const Point& point = *row.milestone;
    hover.title = point.label;
    hover.subtitle = signed_seconds(timeline.seconds(point.at));
    hover.lines.emplace_back("known from", point.source + (point.approximate ? " (approximate)" : ""));
    for (const Link& link : timeline.chain)
      if (&timeline.points[link.to] == &point) hover.lines.emplace_back("waited for", link.waited_for);
    return hover;
  }
  const Span& span = *row.span;
  const double took = static_cast<double>(timeline.end_of(span) - timeline.start_of(span)) / 1e9;
  hover.title = span.name;
  hover.subtitle = fmt::format("{} · {} · {} to {}", to_string(span.state), short_duration(took),
                               signed_seconds(timeline.seconds(timeline.start_of(span))),
                               signed_seconds(timeline.seconds(timeline.end_of(span))));
  const auto add = [&hover](const char* name, const std::string& text) {
    if (!text.empty()) hover.lines.emplace_back(name, text);
  };
  add("does", span.purpose);
  add("ran because", span.why);
  add(span.kind == SpanKind::kStep ? "needs" : "ordered after", joined(span.needs, ", "));
  add("provides", joined(span.provides, ", "));
  add("retries", joined(span.retries, "\n"));
  add("notes", joined(span.notes, "\n"));
  add("error", span.error);
  if (span.critical) add("critical", "it is on the critical chain");
  if (span.deferred) add("deferred", "nothing waits for it");
  return hover;
}

Hover hover_of(const Timeline& timeline, const ChainPart& part) {
  const Point& from = timeline.points[timeline.chain[part.first].from];
  const Point& to = timeline.points[timeline.chain[part.last].to];
  Hover hover;
  hover.title = seconds_between(from, to);
  hover.subtitle = fmt::format("{} → {}", from.label, to.label);
  const auto took = [&timeline](const Link& link) {
    return timeline.points[link.to].at - timeline.points[link.from].at;
  };
  const Link* longest = &timeline.chain[part.first];
  for (size_t i = part.first; i <= part.last; ++i)
    if (took(timeline.chain[i]) > took(*longest)) longest = &timeline.chain[i];
  if (part.last > part.first) {
    hover.lines.emplace_back("waits", fmt::format("{}, too short to be drawn apart", part.last - part.first + 1));
    hover.lines.emplace_back("longest", seconds_between(timeline.points[longest->from], timeline.points[longest->to]));
  }
  hover.lines.emplace_back("waited for", longest->waited_for);
  return hover;
}

}  // namespace sunup::timeline

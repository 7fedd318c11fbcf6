#include "timeline/shapes.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/text.h"
#include "base/utf8.h"

namespace sunup::timeline {
namespace {

constexpr double kRight = 96;  // for the duration of the last bar
constexpr size_t kLongestName = 42;
constexpr size_t kManyLinks = 500;
constexpr double kNarrow = 3;

Scale scale_of(const Timeline& timeline, double left, double width) {
  Scale scale{.first = timeline.zero, .last = timeline.zero, .left = left, .width = width};
  for (const Point& point : timeline.points) {
    scale.first = std::min(scale.first, point.at);
    scale.last = std::max(scale.last, point.at);
  }
  return scale;
}

std::string classes(const Row& row) {
  if (row.milestone != nullptr) return row.milestone->critical ? "row milestone critical" : "row milestone";
  std::string all = fmt::format("row span {} {}", to_string(row.span->kind), to_string(row.span->state));
  if (row.span->critical) all += " critical";
  if (row.span->deferred) all += " deferred";
  return all;
}

RowShape shape_of(const Timeline& timeline, const Row& row, const Scale& scale) {
  if (row.milestone != nullptr) {
    const double x = scale.x(row.milestone->at);
    return {.classes = classes(row),
            .name = shortened(row.milestone->label, kLongestName),
            .time = signed_seconds(timeline.seconds(row.milestone->at)),
            .milestone = true,
            .x1 = x,
            .x2 = x};
  }
  const Nanos start = timeline.start_of(*row.span);
  const Nanos end = timeline.end_of(*row.span);
  const double x = scale.x(start);
  return {.classes = classes(row),
          .name = shortened(row.span->name, kLongestName),
          .time = short_duration(static_cast<double>(end - start) / 1e9),
          .milestone = false,
          .x1 = x,
          .x2 = std::max(scale.x(end), x + 2)};
}

std::string seconds_between(const Point& from, const Point& to) {
  return short_duration(static_cast<double>(to.at - from.at) / 1e9);
}

}  // namespace

std::string shortened(std::string_view text, size_t letters) {
  size_t end = 0;  // the end of all letters but one
  std::string_view rest = text;
  for (size_t count = 1; !rest.empty(); ++count) {
    if (count > letters) return std::string(text.substr(0, end)) + "…";
    rest.remove_prefix(first_rune(rest).size);
    if (count < letters) end = text.size() - rest.size();
  }
  return std::string(text);
}

Shapes shapes_of(const Timeline& timeline, const std::vector<Row>& all) {
  Shapes shapes;
  shapes.scale = scale_of(timeline, kGutter, kPictureWidth - kGutter - kRight);
  shapes.height = kAxis + kRowHeight * static_cast<double>(all.size()) + 6;
  std::vector<std::optional<size_t>> row_of(timeline.points.size());
  for (size_t i = 0; i < all.size(); ++i) {
    const Row& row = all[i];
    if (row.milestone != nullptr) {
      row_of[static_cast<size_t>(row.milestone - timeline.points.data())] = i;
    } else {
      for (const size_t end : {row.span->start, row.span->end})
        if (!timeline.points[end].milestone) row_of[end] = i;
    }
    shapes.rows.push_back(shape_of(timeline, row, shapes.scale));
  }
  for (const Link& link : timeline.chain)
    if (row_of[link.from] && row_of[link.to])
      shapes.chain.push_back({shapes.scale.x(timeline.points[link.from].at), *row_of[link.from],
                              shapes.scale.x(timeline.points[link.to].at), *row_of[link.to]});
  return shapes;
}

Strip strip_of(const Timeline& timeline) {
  Strip strip;
  if (timeline.chain.empty()) return strip;
  strip.scale = {.first = timeline.points[timeline.chain.front().from].at,
                 .last = timeline.points[timeline.chain.back().to].at,
                 .left = 1,
                 .width = kPictureWidth - 2.0};
  const auto width = [&](size_t first, size_t last) {
    return strip.scale.x(timeline.points[timeline.chain[last].to].at) -
           strip.scale.x(timeline.points[timeline.chain[first].from].at);
  };
  const bool many = timeline.chain.size() > kManyLinks;
  for (size_t i = 0; i < timeline.chain.size(); ++i) {
    const bool joins = many && !strip.parts.empty() && width(i, i) < kNarrow &&
                       width(strip.parts.back().first, strip.parts.back().last) < kNarrow;
    if (joins)
      strip.parts.back().last = i;
    else
      strip.parts.push_back({i, i});
  }
  return strip;
}

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

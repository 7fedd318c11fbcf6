#include "timeline/shapes.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

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

}  // namespace sunup::timeline
